import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { userEndpoints } from "#contract/endpoints/user-endpoints.ts";
import { announce } from "#worker/objects/event-feed/announce.ts";
import { type Resource, resources } from "../../support/resources.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { TestProject } from "../../support/worker/project.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";
import type { World } from "../../support/worker/world.ts";
import { type Life, lives, type Values } from "../../support/worker/resource-lives.ts";

// What docs/api.md promises to a program that keeps objects as a file describes them, such as a provider of Terraform.

const AnyObject = z.record(z.string(), z.unknown());

/** An object of a resource, as a provider sees it. */
class Instance {
  readonly #token: string;
  readonly #path: string;
  readonly #list: string;
  readonly #isReadable: boolean;

  constructor(token: string, list: string, id: string, { read }: Resource) {
    this.#token = token;
    this.#list = list;
    this.#path = `${list}/${id}`;
    this.#isReadable = read !== null;
  }

  get id(): string {
    return this.#path.slice(this.#list.length + 1);
  }

  async request(method: string, body?: unknown) {
    return await call(this.#path, { method, token: this.#token, body });
  }

  /** @returns null if it does not exist. An object without an address of its own is found in the list. */
  async read(): Promise<Values | null> {
    if (!this.#isReadable) return (await this.inList()) ?? null;
    const response = await this.request("GET");
    if (response.status === 404) return null;
    expect(response.status).toBe(200);
    return AnyObject.parse(await response.json());
  }

  async inList(): Promise<Values | undefined> {
    const response = await call(this.#list, { token: this.#token });
    const [rows] = Object.values(AnyObject.parse(await response.json())).filter((one) => Array.isArray(one));
    return z
      .array(AnyObject)
      .parse(rows)
      .find(({ id }) => id === this.id);
  }

  async change(body: Values): Promise<Values> {
    const response = await this.request("PATCH", body);
    expect(response.status, `${JSON.stringify(body)}: ${await response.clone().text()}`).toBe(200);
    const { settings, ...read } = (await this.read()) ?? {};
    return { ...read, ...(settings === undefined ? {} : AnyObject.parse(settings)) };
  }
}

/** The fields that a request can have. @param kind of a webhook: it decides which ones */
function fieldsOf(endpoint: Endpoint | null, kind: unknown): readonly string[] {
  const body = endpoint?.body ?? null;
  const objects = body instanceof mini.ZodMiniDiscriminatedUnion ? body.def.options : [body];
  const shapes = objects.flatMap((one) => (one instanceof mini.ZodMiniObject ? [one.shape] : []));
  const [shape = {}] = shapes.filter(
    ({ kind: one }) => one === undefined || (one instanceof mini.ZodMiniType && one.safeParse(kind).success),
  );
  return Object.keys(shape);
}

describe("the life of", () => {
  it("every object that a token can create and delete is tested", () => {
    expect([...new Set(lives.map(({ path }) => path))].toSorted()).toEqual([...resources.keys()].toSorted());
  });

  it.each(lives.map((life) => [life.name, life] as const))("%s", async (_, life) => {
    const resource = resources.get(life.path);
    if (resource === undefined) throw new Error(`there is no resource ${life.path}`);
    const world = await copyWorld();
    await live(life, resource, world);
    // The feed has handed over all events, so that it does not work on the storage of the next test.
    await announce(env.EVENT_FEED, world.account.id);
  });
});

async function live(life: Life, resource: Resource, world: World): Promise<void> {
  const { token } = world.account;
  const given = life.given(world);
  const create = async (body: Values, key: string) => {
    const headers = { "idempotency-key": key };
    const response = await call(life.path, { method: "POST", token, body, headers });
    expect(response.status, await response.clone().text()).toBe(201);
    const created = AnyObject.parse(await response.json());
    const id = z.string().parse(created["id"]);
    if (resource.read !== null) expect(response.headers.get("location")).toBe(`${life.path}/${id}`);
    return { created, instance: new Instance(token, life.path, id, resource) };
  };

  // Create, and again with the same key: one object.
  const { created, instance } = await create(given, "first");
  expect((await create(given, "first")).instance.id).toBe(instance.id);
  const flat = async () => {
    const { settings, ...read } = (await instance.read()) ?? {};
    return { ...read, ...(settings === undefined ? {} : AnyObject.parse(settings)) };
  };
  const first = await flat();
  expect(first).toMatchObject(withoutKeys(created, life.shownOnce));
  expect(first).toMatchObject(withoutKeys(given, Object.keys(life.hidden)));
  expect(await flat()).toEqual(first);

  // Import: by the list.
  expect(await instance.inList()).toMatchObject(life.importedBy(given));

  // Change each field alone, and back.
  const others = await life.others(world);
  const initial = fieldsOf(resource.create, given["kind"]);
  // A webhook has the settings of its kind.
  const changeable = fieldsOf(resource.update, given["kind"]).filter(
    (name) => given["kind"] === undefined || initial.includes(name) || name === "enabled",
  );
  const fields = new Set([...initial, ...changeable]);
  expect([...fields].filter((name) => !(name in others) && !(name in given))).toEqual(life.ignored);
  const meanwhile = life.follows["*"] ?? [];
  const same = withoutKeys(first, meanwhile);
  for (const name of changeable.filter((one) => one in others)) {
    const along = (life.along[name] ?? []).filter((one) => one in others);
    const changed = await instance.change(pickFields(others, [name, ...along]));
    if (!(name in life.hidden)) expect(changed[name]).toEqual(others[name]);
    const following = [name, ...along].flatMap((one) => [
      life.hidden[one] ?? one,
      ...(life.follows[one] ?? []),
    ]);
    const rest = withoutKeys(changed, [...following, ...meanwhile]);
    expect(rest, `${name} changes nothing else`).toEqual(withoutKeys(first, [...following, ...meanwhile]));
    const back = Object.assign({}, ...[name, ...along].map((one) => life.back(one, first, given)));
    expect(withoutKeys(await instance.change(back), meanwhile), `${name} as before`).toEqual(same);
  }

  // What was read can be sent: no drift.
  const shown = changeable.filter((one) => one in first && one in others && !(one in life.hidden));
  const all = life.back(null, first, given, pickFields(first, shown));
  if (resource.update !== null) expect(withoutKeys(await instance.change(all), meanwhile)).toEqual(same);

  // An object with every field.
  const full = { ...given, ...pickFields(others, initial), ...life.second(others) };
  const second = await create(full, "second");
  const { settings = {}, ...read } = (await second.instance.read()) ?? {};
  const { hidden } = life;
  expect({ ...read, ...AnyObject.parse(settings) }).toMatchObject(withoutKeys(full, Object.keys(hidden)));
  for (const secret of life.secrets.filter((one) => one in full))
    expect(JSON.stringify(await second.instance.read())).not.toContain(full[secret]);

  // Delete, and gone.
  for (const { id } of [instance, second.instance]) {
    const one = new Instance(token, life.path, id, resource);
    expect((await one.request("DELETE")).status).toBe(204);
    expect(await one.read()).toBeNull();
    expect(await one.inList()).toBeUndefined();
    for (const method of ["DELETE", ...(resource.update === null ? [] : ["PATCH"])]) {
      const again = await one.request(method, method === "PATCH" ? {} : undefined);
      expect((await problemOf(again)).code).toBe("not_found");
    }
  }
}

function withoutKeys(values: Values, names: readonly string[]): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
}

function pickFields(values: Values, names: readonly string[]): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}

describe("what an account and a project have once", () => {
  it("the settings of an account change alone, and back", async () => {
    const { account } = await copyWorld();
    const read = async () =>
      AnyObject.parse(await (await call("/v1/account", { token: account.token })).json());
    const change = async (body: Values) => {
      const response = await call("/v1/account", { method: "PATCH", token: account.token, body });
      expect(response.status).toBe(200);
      return await read();
    };
    const first = await read();
    const others = { log_retention_days: 30, deployment_retention_days: 60 };
    expect(fieldsOf(userEndpoints.updateAccount, undefined)).toEqual(Object.keys(others));
    for (const [name, value] of Object.entries(others)) {
      expect(await change({ [name]: value })).toEqual({ ...first, [name]: value });
      expect(await change({ [name]: first[name] })).toEqual(first);
    }
  });

  it("variables are read as they were set, and secrets never", async () => {
    const { project } = await TestProject.withKeys();
    const read = async () => {
      const text = await (await project.get(project.variablesPath)).text();
      const { variables } = z.object({ variables: z.array(AnyObject) }).parse(JSON.parse(text));
      return { text, byName: new Map(variables.map((one) => [one["name"], one])) };
    };
    const change = async (body: Values) => {
      expect((await project.call("PATCH", project.variablesPath, body)).status).toBe(200);
      return await read();
    };
    const secret = { name: "KEY", value: "never-in-an-answer", secret: true };
    const { text, byName } = await change({ set: [{ name: "URL", value: " as it is " }, secret] });
    expect(byName.get("URL")).toMatchObject({ value: " as it is ", secret: false });
    expect(byName.get("KEY")).toMatchObject({ secret: true, build: false, revision: 1 });
    expect(text).not.toContain(secret.value);

    // One alone, and a secret's revision says whether it was set since.
    const changed = await change({ set: [{ name: "URL", value: "" }] });
    expect(changed.byName.get("URL")).toMatchObject({ value: "" });
    expect(changed.byName.get("KEY")).toEqual(byName.get("KEY"));
    expect((await change({ set: [secret] })).byName.get("KEY")).toMatchObject({ revision: 3 });

    const removed = await change({ remove: ["URL", "KEY"] });
    expect([...removed.byName.keys()]).toEqual([]);
    // Gone is as good as removed.
    expect((await change({ remove: ["URL"] })).byName.size).toBe(0);
  });
});
