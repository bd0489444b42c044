import { type Item, pathOf } from "#cli/configuration/item.ts";
import { pathText } from "#cli/configuration/print-toml.ts";

type Planned = {
  /** What stays, although the file does not have it. */
  readonly extras: readonly { readonly item: Item; readonly path: readonly string[] }[];
};

/** What the changes alone do not show, and what to do about it. */
export function noticesOf({ extras }: Planned): string[] {
  return extras.flatMap(({ item, path }) => {
    const servers = item.unsealed?.get(path[0] ?? "") ?? [];
    if (servers.length === 0) return [];
    const place = pathText([...pathOf(item), ...path]);
    return `${place} is a secret that ${servers.join(", ")} cannot open, so deployments are refused. Add it to the file, or enter it again with gantry variables set.`;
  });
}
