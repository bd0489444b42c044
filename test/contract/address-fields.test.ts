import { expect, it } from "vitest";
import * as z from "zod/mini";

import { FromAgent, ToAgent } from "#contract/agent-protocol.ts";
import { endpoints } from "#contract/endpoints/endpoints.ts";

type Field = { readonly at: string; readonly schema: z.ZodMiniString };

/** Everything that the API, an agent or the control plane is sent. */
const received: readonly (readonly [string, z.core.$ZodType | null])[] = [
  ...Object.entries(endpoints).flatMap(([name, { body, query }]) => [
    [name, body] as const,
    [name, query] as const,
  ]),
  ["ToAgent", ToAgent],
  ["FromAgent", FromAgent],
];

const wrappers = [
  z.ZodMiniOptional,
  z.ZodMiniNullable,
  z.ZodMiniDefault,
  z.ZodMiniPrefault,
  z.ZodMiniCatch,
  z.ZodMiniReadonly,
];

/** The texts in what a schema describes, with the names of their fields. */
function textsOf(schema: z.core.$ZodType, at: string): readonly Field[] {
  if (schema instanceof z.ZodMiniString) return [{ at, schema }];
  if (schema instanceof z.ZodMiniObject)
    return Object.entries(schema.def.shape).flatMap(([name, one]) => textsOf(one, `${at}.${name}`));
  if (schema instanceof z.ZodMiniArray) return textsOf(schema.def.element, at);
  if (schema instanceof z.ZodMiniRecord) return textsOf(schema.def.valueType, `${at}.*`);
  if (schema instanceof z.ZodMiniUnion || schema instanceof z.ZodMiniDiscriminatedUnion)
    return schema.def.options.flatMap((one) => textsOf(one, at));
  if (schema instanceof z.ZodMiniPipe) return textsOf(schema.def.in, at);
  const wrapper = wrappers.find((one) => schema instanceof one);
  return wrapper !== undefined && schema instanceof wrapper ? textsOf(schema.def.innerType, at) : [];
}

const texts = received.flatMap(([name, schema]) => (schema === null ? [] : textsOf(schema, name)));
const addresses = texts.filter(({ at }) => /[._](?:url|uri|href|address|repository)$/.test(at));

it("each field of the contract that is an address refuses addresses that programs read differently", () => {
  const names = new Set(addresses.map(({ at }) => at));
  for (const known of [
    "createWebhook.url",
    "createWebhook.api_url",
    "updateWebhook.api_url",
    "createProject.repository",
    "updateProject.health_check.url",
    "createHook.repository",
    "testRepository.repository",
    "ToAgent.order.source.repository",
    "FromAgent.projects.url",
  ])
    expect(names).toContain(known);
  for (const { at, schema } of addresses)
    for (const hostile of [
      String.raw`http://evil.example\@good.example/`,
      String.raw`https://evil.example\@good.example/x`,
      "https://evil.example#@good.example/x",
      "https://evil.example?@good.example/x",
      "https://good.example@evil.example@good.example/x",
      "https://good.example\t@evil.example/x",
      "https://good.example\n/x",
      "https://2130706433/x",
      "https://good.example./x",
      "https://go%6Fd.example/x",
      "https://[::ffff:127.0.0.1]/x",
      "https://good.example/x/../y",
      "https://good\u3002example/x",
      "https://good.example/\u202e",
    ])
      expect({ at, hostile, isAccepted: z.safeParse(schema, hostile).success }).toEqual({
        ...{ at, hostile, isAccepted: false },
      });
});

it("no field has zod's own format of an address, which reads it differently than it is stored", () => {
  expect(texts.filter(({ schema }) => schema instanceof z.ZodMiniURL)).toEqual([]);
});
