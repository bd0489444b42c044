import { readAll } from "#client/read-all.ts";
import type { ClientResult } from "#client/send.ts";
import { didYouMean } from "#contract/lib/suggest.ts";
import { missing, type Result, stop } from "#cli/outcome.ts";
import { mayCall } from "#cli/session/may-call.ts";
import { onlyProject } from "#cli/session/only-project.ts";
import type { Session } from "#cli/session/session.ts";
import { printableName } from "#cli/output/printable.ts";
import { LINK_NAME } from "#cli/settings/link-file.ts";
import { variable } from "#cli/settings/variable.ts";
import { FreezeId, ProjectId, ServerId, TokenId, TrustRuleId, WebhookId } from "#contract/ids.ts";
import { succeed } from "#contract/lib/result.ts";

/** `name` is null if the ID was given, because the token may lack the scope to read the resource. */
export type NamedId<Id> = { readonly id: Id; readonly name: string | null };
type IdSchema<Id> = { safeParse(word: string): { success: true; data: Id } | { success: false } };

/**
 * Finds the project from an argument, --project, GANTRY_PROJECT or the link file, in this order. Without any, it is the only
 * project of the token.
 */
export async function findProject(
  session: Session,
  word: string | null = null,
): Promise<Result<NamedId<ProjectId>>> {
  const wanted = word ?? givenProject(session);
  if (wanted === null && session.linkedProject !== null) return readLinked(session, session.linkedProject);
  if (wanted === null) return findOnlyProject(session);
  return findProjectNamed(session, wanted);
}

async function findOnlyProject({ ownAccount }: Session): Promise<Result<NamedId<ProjectId>>> {
  const account = await ownAccount();
  const id = account.ok ? onlyProject(account.value) : null;
  return id === null
    ? stop(
        "no_project",
        "Pass --project NAME, set GANTRY_PROJECT, or run gantry projects link NAME once in this repository.",
      )
    : succeed({ id, name: null });
}

/** Whether the command uses the project of the link file, because its arguments and variables name no project. */
export function usesLinkFile(session: Session): boolean {
  return session.linkedProject !== null && givenProject(session) === null;
}

function givenProject({ global, environment }: Session): string | null {
  return global.project ?? variable(environment, "GANTRY_PROJECT");
}

function findProjectNamed({ client }: Session, wanted: string): Promise<Result<NamedId<ProjectId>>> {
  return findNamed("project", wanted, ProjectId, () => readAll(client.listProjects, (page) => page.projects));
}

/** Reads the project of the link file, because it may have been deleted or renamed since the file was written. */
async function readLinked(session: Session, linked: string): Promise<Result<NamedId<ProjectId>>> {
  const { client, output, linkedName } = session;
  const id = ProjectId.safeParse(linked);
  // A token may deploy without reading projects.
  if (id.success && !(await mayCall(session, "getProject"))) return succeed({ id: id.data, name: null });
  const project = id.success
    ? await client.getProject({ params: { project_id: id.data } })
    : await findProjectNamed(session, linked);
  if (project.ok) {
    const { name } = project.value;
    if (name !== null && linkedName !== null && name !== linkedName)
      output.note(
        `The project ${linkedName} of ${LINK_NAME} is now named ${printableName(name)}. gantry projects link ${printableName(name)} updates the file.`,
      );
    return succeed(project.value);
  }
  if (project.problem.status === 403 && id.success) return succeed({ id: id.data, name: null });
  if (project.problem.code !== "not_found") return project;
  const name = linkedName ?? linked;
  return missing(
    `${LINK_NAME} links this repository to the project ${name}, which was deleted or which your token cannot read. To use another one, run gantry projects link NAME.`,
  );
}

/** The name of a project for a line about a started deployment: from the link file if only the ID is known. */
export function shownName({ linkedProject, linkedName }: Session, { id, name }: NamedId<ProjectId>): string {
  return name ?? (id === linkedProject ? linkedName : null) ?? id;
}

/** The name of a server, for output; null if the token may not read it. */
export async function serverName(session: Session, id: ServerId): Promise<string | null> {
  if (session.output.form === "json" || !(await mayCall(session, "getServer"))) return null;
  const server = await session.client.getServer({ params: { server_id: id } });
  return server.ok ? server.value.name : null;
}

export function findServer({ client }: Session, word: string): Promise<Result<NamedId<ServerId>>> {
  return findNamed("server", word, ServerId, () => readAll(client.listServers, (page) => page.servers));
}

/** A session can be named only by its ID, because all sessions have the same name. */
export function findToken({ client }: Session, word: string): Promise<Result<NamedId<TokenId>>> {
  return findNamed("token", word, TokenId, () =>
    readAll(client.listTokens, (page) => page.tokens.filter(({ kind }) => kind === "token")),
  );
}

export function findFreeze({ client }: Session, word: string): Promise<Result<NamedId<FreezeId>>> {
  return findNamed("freeze", word, FreezeId, () => readAll(client.listFreezes, (page) => page.freezes));
}

export function findTrustRule({ client }: Session, word: string): Promise<Result<NamedId<TrustRuleId>>> {
  return findNamed("trust rule", word, TrustRuleId, () =>
    readAll(client.listTrustRules, (page) => page.trust_rules),
  );
}

export function findWebhook({ client }: Session, word: string): Promise<Result<NamedId<WebhookId>>> {
  return findNamed("webhook", word, WebhookId, () => readAll(client.listWebhooks, (page) => page.webhooks));
}

/** Finds the projects of an option that can be repeated. */
export async function findProjects(session: Session, words: readonly string[]): Promise<Result<ProjectId[]>> {
  const ids: ProjectId[] = [];
  for (const word of words) {
    const project = await findProject(session, word);
    if (!project.ok) return project;
    ids.push(project.value.id);
  }
  return succeed(ids);
}

/** Finds a resource of the account by its ID or name. Names need not be unique: a name of several is refused. */
async function findNamed<Id>(
  kind: "freeze" | "project" | "server" | "token" | "trust rule" | "webhook",
  word: string,
  schema: IdSchema<Id>,
  list: () => Promise<ClientResult<readonly { readonly id: Id; readonly name: string }[]>>,
): Promise<Result<NamedId<Id>>> {
  const id = schema.safeParse(word);
  if (id.success) return succeed({ id: id.data, name: null });
  const all = await list();
  if (!all.ok) return all;
  const wanted = word.normalize("NFC");
  const [found, another] = all.value.filter(({ name }) => name.normalize("NFC") === wanted);
  if (another !== undefined)
    return stop(
      "ambiguous_name",
      `Several ${kind}s are named ${word}. Pass the ID; gantry ${kind === "trust rule" ? "trust" : `${kind}s`} lists it.`,
    );
  if (found !== undefined) return succeed(found);
  const names = all.value.map(({ name }) => name);
  return missing(`There is no ${kind} ${word} in this account.${didYouMean(word, names)}`);
}
