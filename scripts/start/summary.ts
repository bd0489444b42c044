import { relative } from "node:path";

import type { DeploymentId, ProjectId } from "#contract/ids.ts";

import { callersFolder, resolveHome } from "../shared/script.ts";
import { SIGN_IN_MINUTES } from "../shared/sign-in-code.ts";
import { bold, dim, print } from "../shared/terminal.ts";

export type Summary = {
  readonly url: string;
  readonly token: string;
  /** Works once, for SIGN_IN_MINUTES. */
  readonly signInLink: string;
  /** The folder of the installation. */
  readonly home: string;
  readonly siteUrl: string | null;
  readonly projectId: ProjectId;
  readonly projectName: string;
  readonly deploymentId: DeploymentId | null;
  /** The folder of the example; null if another repository is deployed. */
  readonly helloSite: string | null;
};

/** Prints what is running, and commands to try next. Each command can be pasted as it is. */
export function printSummary(summary: Summary): void {
  const { url, projectId } = summary;
  const auth = '-H "Authorization: Bearer $TOKEN"';
  const post = (path: string, body: string) =>
    `curl -X POST ${url}${path} ${auth} -H 'Content-Type: application/json' -d '${body}'`;
  const facts: [string, string][] = [
    ["API", `${url}/v1`],
    ["reference", `${url}/docs`],
    [summary.projectName, summary.siteUrl ?? "not served yet"],
    ["token", summary.token],
    ["dashboard", summary.signInLink],
  ];
  const width = Math.max(...facts.map(([name]) => name.length), 8);

  rule();
  for (const [name, value] of facts) print(`  ${dim(name.padEnd(width))}  ${bold(value)}`);
  print(
    dim(
      `  ${" ".repeat(width)}  the link works once, within ${SIGN_IN_MINUTES} minutes; for another link, run`,
    ),
  );
  print(`  ${" ".repeat(width)}  ${signInCommand(summary.home)}`);
  rule();
  print(dim("  Paste the first line, then any other line:"));
  print();
  print(`  URL=${url} TOKEN=${summary.token} PROJECT=${projectId}`);
  if (summary.helloSite !== null) {
    const folder = quote(shortest(summary.helloSite));
    comment("change the site");
    print(
      `  sed -i.bak 's/Version one/Version two/' ${folder}/index.html && git -C ${folder} commit -qam 'Version two'`,
    );
  }
  comment("deploy");
  print(`  ${post("/v1/deploy", `{"project_id":"${projectId}"}`)}`);
  comment("roll back");
  print(`  ${post("/v1/rollback", `{"project_id":"${projectId}"}`)}`);
  comment("list deployments");
  print(`  curl ${url}/v1/projects/${projectId}/deployments ${auth}`);
  const id = summary.deploymentId ?? "dpl_…";
  comment("read the log of a deployment");
  print(`  curl ${url}/v1/logs/${id} ${auth} -H 'Accept: text/plain'`);
  comment("delete a deployment (refused for the live one)");
  print(`  curl -X DELETE ${url}/v1/projects/${projectId}/deployments/${id} ${auth}`);
  rule();
  print(dim("  Deployments are shown here as they happen. Ctrl-C ends everything."));
  print();
}

function signInCommand(home: string): string {
  return home === resolveHome() ? "npm run sign-in" : `npm run sign-in -- --home ${quote(shortest(home))}`;
}

function comment(text: string): void {
  print(dim(`  # ${text}`));
}

function rule(): void {
  print(dim("─".repeat(72)));
}

/** The path relative to the folder that npm was called in, unless it would begin with `..`. */
function shortest(path: string): string {
  const fromHere = relative(callersFolder, path);
  return fromHere.startsWith("..") || fromHere === "" ? path : fromHere;
}

function quote(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
