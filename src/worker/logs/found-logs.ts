import type { StoredLog } from "#domain/log-fate.ts";
import { type LogOwner, ownerOfKey, wholeKey } from "#worker/logs/log-keys.ts";

/** A log with the keys of its objects, sorted. */
export type FoundLog = StoredLog & {
  readonly owner: LogOwner;
  readonly wholeKeys: readonly string[];
  readonly partKeys: readonly string[];
};

export type FoundLogs = {
  readonly logs: readonly FoundLog[];
  /** The key after which to continue; null: this was the last page. */
  readonly next: string | null;
};

type Listed = Pick<R2Object, "key" | "uploaded">;

/** Groups objects by log. Skips objects that belong to no log, and the last log of a truncated page: it may be incomplete. */
export function foundLogs(objects: readonly Listed[], isTruncated: boolean): FoundLogs {
  const groups = [...Map.groupBy(objects, ({ key }) => key.slice(0, key.lastIndexOf("/")))];
  const isCut = isTruncated && groups.length > 1;
  const whole = isCut ? groups.slice(0, -1) : groups;
  return {
    logs: whole.flatMap(([, group]) => foundLog(group)),
    next: isTruncated ? (whole.at(-1)?.[1].at(-1)?.key ?? null) : null,
  };
}

function foundLog(objects: readonly Listed[]): FoundLog[] {
  const owner = ownerOfKey(objects[0]?.key ?? "");
  if (owner === null) return [];
  const whole = wholeKey(owner);
  const keys = objects.map(({ key }) => key);
  const wholeKeys = keys.filter((key) => key === whole);
  const partKeys = keys.filter((key) => key !== whole);
  const lastWrittenAt = Math.max(...objects.map(({ uploaded }) => uploaded.getTime()));
  return [
    {
      owner,
      wholeKeys,
      partKeys,
      hasWhole: wholeKeys.length > 0,
      hasParts: partKeys.length > 0,
      lastWrittenAt,
    },
  ];
}
