import type { Item } from "#cli/configuration/item.ts";
import { isList, type Fields, isFields } from "#cli/configuration/json.ts";
import {
  checked,
  documentFields,
  itemOrNull,
  itemOf,
  type Kind,
  nameIn,
  readTable,
  requestOf,
  without,
} from "#cli/configuration/kind.ts";
import type { Names } from "#cli/configuration/names.ts";
import { readAll } from "#client/read-all.ts";
import { CreateFreezeInput, type Freeze, UpdateFreezeInput } from "#contract/endpoints/freezes/schemas.ts";
import type { FreezeTimes } from "#contract/endpoints/freezes/freeze-times.ts";
import { FreezeId } from "#contract/ids.ts";
import { succeed } from "#contract/lib/result.ts";
import { timeZone } from "#project-files/cron/time-zone.ts";

/** Freezes that have not ended. */
export const freezeKind: Kind = {
  name: "freezes",
  schema: CreateFreezeInput,
  parse(key, { name: given, ...table }, reading) {
    const name = nameIn(key, given, reading.issues);
    const read = readTable(table, reading, { schema: CreateFreezeInput, fixed: { name } });
    if (read === null) return null;
    const freeze = CreateFreezeInput.parse(read.request);
    for (const { field, message } of mistakesIn(freeze.times))
      reading.issues.push({ path: ["times", field], message });
    const fields = fieldsOf(freeze, reading.names);
    const hasEnded = instantOf(timeOf(fields, "to")) < Date.now();
    return hasEnded
      ? null
      : { name, identity: identityOf(name, fields), fields, sources: read.sources, masked: [] };
  },
  async read({ client }, names) {
    const freezes = await readAll(client.listFreezes, (page) => page.freezes);
    if (!freezes.ok) return freezes;
    return succeed(
      freezes.value.flatMap((freeze) => (freeze.window === null ? [] : [toItem(freeze, names)])),
    );
  },
  readAgain: async ({ client }, names, { id }) =>
    await itemOrNull(client.getFreeze({ params: { freeze_id: FreezeId.parse(id) } }), (freeze) =>
      toItem(freeze, names),
    ),
  async create({ session, names }, { item, after }) {
    const request = requestOf(CreateFreezeInput, after, names);
    const body = checked(CreateFreezeInput, { ...request, name: item.name });
    return body.ok ? await session.client.createFreeze({ body: body.value }) : body;
  },
  async update({ session }, { current, after }) {
    const body = checked(UpdateFreezeInput, { times: after["times"] });
    if (!body.ok) return body;
    const params = { freeze_id: FreezeId.parse(current?.id) };
    return await session.client.updateFreeze({ params, body: body.value });
  },
  remove: async ({ session }, { id }) =>
    await session.client.deleteFreeze({ params: { freeze_id: FreezeId.parse(id) } }),
};

type TimesMistake = { readonly field: "from" | "to" | "timezone"; readonly message: string };

/** What the schema of a freeze's times does not check, and the control plane refuses. */
function mistakesIn(times: FreezeTimes): readonly TimesMistake[] {
  switch (times.type) {
    case "once": {
      const { from, to } = times;
      const message = "must be a time with its offset, such as 2026-12-24T18:00:00Z";
      const wrong = (["from", "to"] as const).filter((field) => Number.isNaN(instantOf(times[field])));
      if (wrong.length > 0) return wrong.map((field) => ({ field, message }));
      return instantOf(to) > instantOf(from) ? [] : [{ field: "to", message: "must be after from" }];
    }
    case "weekly":
      return timeZone(times.timezone) === null
        ? [
            {
              field: "timezone",
              message: `is not a known time zone, such as Europe/Berlin: ${times.timezone}`,
            },
          ]
        : [];
  }
}

/** The project cannot change. */
function identityOf(name: string, { project = null }: Fields): string {
  return JSON.stringify([name, project]);
}

function toItem(freeze: Freeze, names: Names): Item {
  const { id, name } = freeze;
  const fields = fieldsOf(freeze, names);
  return itemOf("freezes", { key: name, id, name, identity: identityOf(name, fields), fields });
}

/** Instants in the form in which the control plane stores them. */
function fieldsOf(freeze: object, names: Names): Fields {
  const fields = without(documentFields(CreateFreezeInput, freeze, names), "name");
  const times = fields["times"];
  if (!isFields(times)) return fields;
  if (isList(times["days"])) return { ...fields, times: { ...times, days: [...new Set(times["days"])] } };
  return { ...fields, times: { ...times, from: utc(timeOf(fields, "from")), to: utc(timeOf(fields, "to")) } };
}

function timeOf({ times }: Fields, name: "from" | "to"): string {
  const time = isFields(times) && times["type"] === "once" ? times[name] : undefined;
  return typeof time === "string" ? time : "";
}

/** Unix milliseconds; NaN for a text that is no instant, which the control plane refuses. */
function instantOf(text: string): number {
  return /T.*(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
}

function utc(text: string): string {
  const instant = instantOf(text);
  return Number.isNaN(instant) ? text : new Date(instant).toISOString();
}
