import { type Item, pathOf } from "#cli/configuration/item.ts";
import { type Fields, isFields, isList, isSame } from "#cli/configuration/json.ts";
import { pathText } from "#cli/configuration/print-toml.ts";

type Planned = {
  readonly steps: readonly {
    readonly act: "create" | "update" | "delete";
    readonly item: Item;
    readonly current: Item | null;
    readonly after: Fields;
  }[];
  /** What stays, although the file does not have it. */
  readonly extras: readonly { readonly item: Item; readonly path: readonly string[] }[];
};

type States = {
  /** The variables in the file. */
  readonly variables: readonly Item[];
  /** The projects of the installation. */
  readonly projects: readonly Item[];
};

/** What the changes alone do not show, and what to do about it. */
export function noticesOf(plan: Planned, { variables, projects }: States): string[] {
  return [
    ...unsealedNotices(plan),
    ...moveNotices(plan, variables),
    ...renameNotices(plan),
    ...domainNotices(plan, projects),
  ];
}

/** Projects that get servers which cannot open their secrets, if the file does not have the variables. */
function moveNotices({ steps }: Planned, variables: readonly Item[]): string[] {
  return steps.flatMap(({ item, current, after }) => {
    if (item.kind !== "projects" || current === null) return [];
    const before = serversIn(current.fields);
    const added = serversIn(after).filter((name) => !before.includes(name));
    if (added.length === 0 || variables.some(({ key }) => key === item.key)) return [];
    return `${placeOf(item)} gets ${added.join(", ")}, and the file does not have its variables. If it has secrets, enter them again afterwards: gantry variables list shows them.`;
  });
}

function unsealedNotices({ extras }: Planned): string[] {
  return extras.flatMap(({ item, path }) => {
    const servers = item.unsealed?.get(path[0] ?? "") ?? [];
    if (servers.length === 0) return [];
    const place = pathText([...pathOf(item), ...path]);
    return `${place} is a secret that ${servers.join(", ")} cannot open, so deployments are refused. Add it to the file, or enter it again with gantry variables set.`;
  });
}

/** Projects that are deleted and created with the same domain or repository: probably somebody has forgotten `was`. */
function renameNotices({ steps }: Planned): string[] {
  const projects = steps.filter(({ item }) => item.kind === "projects");
  const deleted = projects.filter(({ act }) => act === "delete");
  return projects
    .filter(({ act }) => act === "create")
    .flatMap(({ item }) => {
      const like = deleted.filter(({ item: old }) => looksRenamed(old, item));
      return like.map(
        ({ item: old }) =>
          `${placeOf(old)} is deleted with its deployments and secrets, and ${placeOf(item)} is created in its place. ${renameAdvice(old, item)}`,
      );
    });
}

function looksRenamed(old: Item, created: Item): boolean {
  const domains = domainsIn(old.fields);
  return (
    domainsIn(created.fields).some((domain) => domains.includes(domain)) ||
    isSame(old.fields["repository"], created.fields["repository"])
  );
}

/** Domains that a project cannot have, because another one keeps them, or only gives them up for the domain of the first. */
function domainNotices({ steps }: Planned, projects: readonly Item[]): string[] {
  const changes = steps.filter(({ item, act }) => item.kind === "projects" && act !== "delete");
  const needs = changes.flatMap(({ item, current, after }) =>
    domainsIn(after)
      .filter((domain) => !domainsIn(current?.fields ?? {}).includes(domain))
      .flatMap((domain) => {
        const holder = projects.find(({ fields }) => domainsIn(fields).includes(domain));
        return holder === undefined ? [] : [{ item, domain, holder, isNew: current === null }];
      }),
  );
  const keeps = ({ domain, holder }: (typeof needs)[number]): boolean => {
    const step = steps.find(({ current }) => current === holder);
    return step === undefined || (step.act !== "delete" && domainsIn(step.after).includes(domain));
  };
  const waitsFor = (key: string, seen: readonly string[]): readonly string[] => {
    const next = needs.filter(({ item }) => item.key === key).map(({ holder }) => holder.key);
    return next.flatMap((one) => (seen.includes(one) ? [one] : [one, ...waitsFor(one, [...seen, one])]));
  };
  return needs.flatMap((need) => {
    const { item, domain, holder, isNew } = need;
    if (keeps(need)) {
      const advice = isNew ? ` ${renameAdvice(holder, item)}` : "";
      return [`${placeOf(item)} cannot have the domain ${domain}: ${placeOf(holder)} keeps it.${advice}`];
    }
    // Of a cycle, only the first project has the notice.
    const cycle = waitsFor(item.key, []);
    if (!cycle.includes(item.key) || [...cycle].toSorted()[0] !== item.key) return [];
    return [
      `${placeOf(item)} and ${placeOf(holder)} exchange domains, which one apply cannot do. Give ${placeOf(holder)} another domain, apply, and then apply this file.`,
    ];
  });
}

function renameAdvice(old: Item, created: Item): string {
  return `If ${created.name} is a new name of ${old.name}, add was = ${JSON.stringify(old.name)} to ${placeOf(created)}, which keeps its history.`;
}

function placeOf(item: Item): string {
  return pathText(pathOf(item));
}

/** The names of the servers of a project. */
export function serversIn({ servers = null }: Fields): readonly string[] {
  if (!isList(servers)) return [];
  return servers.flatMap((one) => {
    const name = isFields(one) ? one["server"] : one;
    return typeof name === "string" ? [name] : [];
  });
}

function domainsIn({ domain = null, aliases = null }: Fields): string[] {
  const names = isFields(aliases) ? Object.keys(aliases) : [];
  return typeof domain === "string" ? [domain, ...names] : names;
}
