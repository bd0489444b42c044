import {
  documentFields,
  itemOrNull,
  itemOf,
  type Kind,
  readTable,
  without,
  checked,
} from "#cli/configuration/kind.ts";
import { secretValues } from "#cli/configuration/secret-values.ts";
import { type Item, SECRET } from "#cli/configuration/item.ts";
import type { Names } from "#cli/configuration/names.ts";
import { readAll } from "#client/read-all.ts";
import { CreateHookInput, type Hook, RotateHookInput } from "#contract/endpoints/hooks/schemas.ts";
import { HookForge } from "#contract/endpoints/hooks/push-decisions.ts";
import { repositoryKey } from "#contract/forge.ts";
import { HookId } from "#contract/ids.ts";
import { succeed } from "#contract/lib/result.ts";

/** Stands for a secret that Gantry or the git host makes, as its schema accepts it. */
const PLACEHOLDER = "placeholder-of-a-secret";

/** Hooks, by the address of their repository. */
export const hookKind: Kind = {
  name: "hooks",
  schema: CreateHookInput,
  parse(key, table, reading) {
    const read = readTable(table, reading, {
      schema: CreateHookInput,
      fixed: { repository: key },
      secretAt: ([name, ...inner]) => (name === "secret" && inner.length === 0 ? PLACEHOLDER : null),
    });
    if (read === null) return null;
    const hook = CreateHookInput.parse(read.request);
    const fields = without(documentFields(CreateHookInput, hook, reading.names), "repository");
    return { ...describe(hook), fields: hidden(fields), sources: read.sources, masked: [] };
  },
  async read({ client }, names) {
    const hooks = await readAll(client.listHooks, (page) => page.hooks);
    if (!hooks.ok) return hooks;
    const known = hooks.value.filter(({ forge }) => HookForge.safeParse(forge).success);
    return succeed(known.map((hook) => toItem(hook, names)));
  },
  readAgain: async ({ client }, names, { id }) =>
    await itemOrNull(client.getHook({ params: { hook_id: HookId.parse(id) } }), (hook) =>
      toItem(hook, names),
    ),
  async create({ session }, step) {
    const fields = secretValues(step, session.environment);
    if (!fields.ok) return fields;
    const body = checked(CreateHookInput, { ...fields.value, repository: step.item.name });
    if (!body.ok) return body;
    const created = await session.client.createHook({ body: body.value });
    if (created.ok && body.value.secret === undefined)
      session.output.note(
        `The hook for ${step.item.name} has a new secret, which is not printed. gantry hooks connect adds the hook at the git host; gantry hooks rotate prints another secret.`,
      );
    return created;
  },
  async update({ session }, step) {
    const fields = secretValues(step, session.environment);
    if (!fields.ok) return fields;
    const body = checked(RotateHookInput, { secret: fields.value["secret"] });
    if (!body.ok) return body;
    const params = { hook_id: HookId.parse(step.current?.id) };
    return await session.client.rotateHook({ params, body: body.value });
  },
  remove: async ({ session }, { id }) =>
    await session.client.deleteHook({ params: { hook_id: HookId.parse(id) } }),
};

/** The fields without the value of the secret. */
function hidden(fields: Item["fields"]): Item["fields"] {
  return Object.hasOwn(fields, "secret") ? { ...fields, secret: SECRET } : fields;
}

/** Another git host makes another hook of it: it cannot change. */
function describe({ repository, forge }: Pick<Hook, "repository"> & { readonly forge: string }) {
  return { name: repository, identity: `${forge} ${repositoryKey(repository)}` };
}

function toItem(hook: Hook, names: Names): Item {
  const fields = without(documentFields(CreateHookInput, hook, names), "repository");
  const { name, identity } = describe(hook);
  return itemOf("hooks", { key: hook.repository, id: hook.id, name, identity, fields });
}
