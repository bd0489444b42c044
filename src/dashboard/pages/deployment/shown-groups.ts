import { LogStage } from "#contract/endpoints/logs/schemas.ts";
import type { ServerId } from "#contract/ids.ts";
import { type LogGroup, logGroups } from "#dashboard/pages/deployment/log-groups.ts";
import { indexOfLine, partOfLog, type ShownLog } from "#dashboard/pages/deployment/log-part.ts";

/** A group with the lines that its indexes count in. `key` is unique among the groups of a page. */
export type ShownGroup = LogGroup & { readonly log: ShownLog; readonly key: string };

/**
 * The groups of the first `count` lines of a log. If several servers write it, their lines come in any order, so that each
 * stage has one group.
 */
export function shownGroups(
  log: ShownLog,
  count: number,
  { isOfSeveral, server }: { readonly isOfSeveral: boolean; readonly server: ServerId | null },
): readonly ShownGroup[] {
  if (!isOfSeveral)
    return logGroups(log, count).map((group) => ({ ...group, log, key: String(group.first) }));
  return LogStage.options.flatMap((stage) => {
    const part = partOfLog(log, count, { server, stage });
    const { length } = part.lines;
    return length === 0
      ? []
      : { first: 0, count: length, stage, instruction: null, log: part, key: `${server} ${stage}` };
  });
}

/** The index of a line in the log of a group, if the group has the line; otherwise null. */
export function indexIn({ log, first, count }: ShownGroup, line: number | null): number | null {
  const index = line === null ? null : indexOfLine(log, line);
  return index !== null && index >= first && index < first + count ? index : null;
}

/** The number of the shown line before or after another one; the same number at the ends. */
export function nextLine(groups: readonly ShownGroup[], line: number, step: -1 | 1): number {
  const at = groups.findIndex((group) => indexIn(group, line) !== null);
  const group = groups[at];
  if (group === undefined) return line;
  const index = (indexIn(group, line) ?? 0) + step;
  if (index >= group.first && index < group.first + group.count) return group.log.lines[index]?.line ?? line;
  const other = groups[at + step];
  const edge = step === 1 ? other?.first : (other?.first ?? 0) + (other?.count ?? 0) - 1;
  return other?.log.lines[edge ?? 0]?.line ?? line;
}
