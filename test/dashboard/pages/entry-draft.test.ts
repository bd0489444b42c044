import { describe, expect, it } from "vitest";

import { Entry } from "#contract/endpoints/projects/entry.ts";
import { createIdGenerator } from "#contract/ids.ts";
import { entryAddresses, entryChanges, entryDraft } from "#dashboard/pages/settings/entry-draft.ts";

let time = 1_700_000_000_000;
const ids = createIdGenerator({ now: () => (time += 1), randomBytes: (count) => new Uint8Array(count) });
const [one, two, three] = [ids.server(), ids.server(), ids.server()];
const each = { entry: Entry.parse({}) };
const balanced = { entry: Entry.parse({ type: "balancer", balancers: [three], sticky: true }) };
const row = (id: typeof one, last: number) => ({ id, ip: `192.0.2.${last}` });
const place = (id: typeof one, processes: string[] | null = null) => ({ id, processes, cron: false });

describe("where visitors arrive, in the form", () => {
  it("is sent as a whole, and without the fields of another type", () => {
    expect(entryChanges(entryDraft(balanced), balanced)).toEqual({});
    expect(entryChanges({ ...entryDraft(balanced), entry_type: "own" }, balanced)).toEqual({
      entry: { type: "own", balancers: [], sticky: false },
    });
    const chosen = { ...entryDraft(each), entry_type: "balancer" as const, entry_balancers: [two] };
    expect(entryChanges(chosen, each)).toEqual({
      entry: { type: "balancer", balancers: [two], sticky: false },
    });
    // Balancers that were checked before another type was chosen.
    expect(entryChanges({ ...entryDraft(each), entry_balancers: [two] }, each)).toEqual({});
  });

  it("says to which addresses the host names should lead", () => {
    const rows = [row(one, 1), row(two, 2), row(three, 3)];
    const project = { server_id: one, servers: [place(one), place(two, ["worker"])] };
    expect(entryAddresses({ ...project, ...balanced }, rows)).toEqual(["192.0.2.3"]);
    expect(entryAddresses({ ...project, ...each }, rows)).toEqual(["192.0.2.1"]);
    expect(entryAddresses({ ...project, entry: Entry.parse({ type: "own" }) }, rows)).toEqual([]);
  });
});
