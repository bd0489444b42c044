import { relative } from "node:path";

import type { ProjectId } from "#contract/ids.ts";
import { shellWord } from "#node/shell-quote.ts";

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
  /** The folder of the example; null if another repository is deployed. */
  readonly helloSite: string | null;
};

const AUTH = '-H "Authorization: Bearer $TOKEN"';

/** Prints the running services, and lines to try next. The lines work when they are pasted in their order. */
export function printSummary(summary: Summary): void {
  const { url, projectId } = summary;
  const facts: [string, string][] = [
    ["API", `${url}/v1`],
    ["reference", `${url}/docs`],
    [summary.projectName, summary.siteUrl ?? "not served yet"],
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
  print(dim("  Paste these lines into another terminal, in this order:"));
  print();
  print(`  export URL=${url} TOKEN=${summary.token} PROJECT=${projectId}`);
  if (summary.helloSite !== null) {
    // Absolute: the other terminal may be in another folder.
    const folder = shellWord(summary.helloSite);
    comment("change the site");
    print(`  date >> ${folder}/index.html && git -C ${folder} commit -qam 'Add the date'`);
  }
  const project = "$URL/v1/projects/$PROJECT";
  comment("deploy, and follow the log until it ends");
  print(`  DEPLOYMENT=$(curl -sS -X POST "${project}/deployments" ${AUTH} | grep -o 'dpl_[0-9a-z]*')`);
  print(`  curl -sSN "$URL/v1/logs/$DEPLOYMENT" ${AUTH} -H "Accept: text/event-stream"`);
  comment("list the deployments");
  print(`  curl -sS "${project}/deployments" ${AUTH}`);
  comment("roll back, and follow the log");
  const body = `-H "Content-Type: application/json" -d "{\\"project_id\\":\\"$PROJECT\\"}"`;
  print(`  ROLLBACK=$(curl -sS -X POST "$URL/v1/rollback" ${AUTH} ${body} | grep -o 'dpl_[0-9a-z]*')`);
  print(`  curl -sSN "$URL/v1/logs/$ROLLBACK" ${AUTH} -H "Accept: text/event-stream"`);
  comment("read the log of the deployment before the rollback as text, and delete that deployment");
  print(`  curl -sS "$URL/v1/logs/$DEPLOYMENT" ${AUTH} -H "Accept: text/plain"`);
  print(`  curl -sS -X DELETE "${project}/deployments/$DEPLOYMENT" ${AUTH}`);
  rule();
  print(dim("  Deployments are shown here as they happen. Ctrl-C ends everything."));
  print();
}

function signInCommand(home: string): string {
  return home === resolveHome()
    ? "npm run sign-in"
    : `npm run sign-in -- --home ${shellWord(shortest(home))}`;
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
