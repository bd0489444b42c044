import { describe, expect, it } from "vitest";

import { Rollout } from "#contract/endpoints/projects/servers.ts";
import { createIdGenerator } from "#contract/ids.ts";
import {
  entriesIn,
  movedEntry,
  processNames,
  serverChanges,
  serversDraft,
  withEntries,
} from "#dashboard/pages/settings/server-draft.ts";

let time = 1_700_000_000_000;
const ids = createIdGenerator({ now: () => (time += 1), randomBytes: (count) => new Uint8Array(count) });
const [one, two, three] = [ids.server(), ids.server(), ids.server()];
const everything = (id: typeof one) => ({ id, processes: null, cron: false });

const alone = { server_id: one, servers: [], rollout: Rollout.parse({}) };
const several = { ...alone, servers: [everything(one), everything(two)] };

describe("the servers of a project in the form", () => {
  it("are written as server_id while there is one", () => {
    const edits = withEntries([everything(two)], alone);
    expect(edits).toEqual({ server_id: two, servers: [] });
    expect(serverChanges({ ...serversDraft(alone), ...edits }, alone)).toEqual({});
  });

  it("are a list as soon as there are two, which starts with the saved server", () => {
    const entries = entriesIn({ server_id: alone.server_id, servers: [] });
    const edits = withEntries([...entries, everything(two)], alone);
    expect(edits.server_id).toBe(one);
    expect(serverChanges({ ...serversDraft(alone), ...edits }, alone)).toEqual({
      servers: [everything(one), everything(two)],
    });
  });

  it("are a list with one entry if the others are removed", () => {
    const edits = withEntries([everything(two)], several);
    expect(edits).toEqual({ server_id: one, servers: [everything(two)] });
    expect(serverChanges({ ...serversDraft(several), ...edits }, several)).toEqual({
      servers: [everything(two)],
    });
  });

  it("are unchanged if they are as saved", () => {
    const edits = withEntries(several.servers, several);
    expect(serverChanges({ ...serversDraft(several), ...edits }, several)).toEqual({});
    // A saved list with one entry on which everything runs is one server.
    expect(serversDraft({ ...alone, servers: [everything(one)] }).servers).toEqual([]);
  });

  it("move by one place, and not beyond the ends", () => {
    const entries = [everything(one), everything(two), everything(three)];
    const order = (id: typeof one, by: -1 | 1) => movedEntry(entries, id, by).map((entry) => entry.id);
    expect(order(two, -1)).toEqual([two, one, three]);
    expect(order(two, 1)).toEqual([one, three, two]);
    expect(order(one, -1)).toEqual([one, two, three]);
    expect(order(three, 1)).toEqual([one, two, three]);
  });

  it("can run the site, the project's processes, and names that are no longer defined", () => {
    const processes = { worker: { command: "node worker.js" } };
    const entries = [{ ...everything(one), processes: ["mailer"] }];
    expect(processNames({ detected_processes: {}, processes }, entries)).toEqual(["web", "worker", "mailer"]);
  });
});

describe("the rollout in the form", () => {
  const changed = (part: Partial<ReturnType<typeof serversDraft>>, saved = several) =>
    serverChanges({ ...serversDraft(saved), ...part }, saved);

  it.each([
    [{ rollout_order: "at_once" }, { order: "at_once" }],
    [
      { rollout_batch: " 2 ", rollout_pause_seconds: "30" },
      { batch: 2, pause_seconds: 30 },
    ],
    [{ rollout_canary: "1" }, { canary: { size: 1, approval: false } }],
    [{ rollout_canary: "1", rollout_canary_approval: true }, { canary: { size: 1, approval: true } }],
    [
      { rollout_on_failure: "continue", rollout_offline: "skip", rollout_min: "2" },
      { on_failure: "continue", offline: "skip", min: 2 },
    ],
    [{ rollout_batch: "many" }, { batch: NaN }],
  ])("turns %j into the change %j", (part, rollout) => {
    expect(changed(part)).toEqual({ rollout });
  });

  it("has no canary if its number is emptied", () => {
    const saved = { ...several, rollout: { ...several.rollout, canary: { size: 2, approval: false } } };
    expect(serversDraft(saved).rollout_canary).toBe("2");
    expect(changed({ rollout_canary: " " }, saved)).toEqual({ rollout: { canary: null } });
  });
});
