import { eventExamples } from "#contract/endpoints/events/examples.ts";
import { eventSchemas } from "#contract/endpoints/events/schema-texts.ts";
import { Event, type EventType } from "#contract/endpoints/events/schemas.ts";

import { namedSchemas } from "./schemas.ts";
import type { Operation, Schema } from "./types.ts";

const { values: meanings = {} } = eventSchemas.EventType;

/** The request that a webhook of the kind `standard` gets for each type of event. */
export function eventWebhooks(): Readonly<Record<string, { readonly post: Operation }>> {
  const named = namedSchemas("output");
  return Object.fromEntries(
    eventExamples.map(({ id: _id, ...example }) => [
      example.type,
      { post: operationFor(example.type, dataOf(example.type, named), example) },
    ]),
  );
}

function operationFor(type: EventType, data: Schema, example: unknown): Operation {
  return {
    operationId: `on_${type.replace(".", "_")}`,
    tags: ["Events"],
    summary: type,
    description: `Sent when ${meanings[type]}. The header \`webhook-id\` has the event's id, and \`webhook-signature\` signs the request (Standard Webhooks 1.0.0).`,
    security: [],
    parameters: [],
    requestBody: {
      description: "The event.",
      required: true,
      content: {
        "application/json": {
          schema: {
            type: "object",
            properties: {
              type: { type: "string", const: type },
              timestamp: { type: "string", format: "date-time", description: "When it happened." },
              data,
            },
            required: ["type", "timestamp", "data"],
          },
          example,
        },
      },
    },
    responses: {
      default: {
        description:
          "2xx: the receiver has the event. 410: it is gone, and the webhook is disabled. After any other answer, the request is sent again later.",
      },
    },
  };
}

/** The schema of the data of a type. */
function dataOf(type: EventType, named: ReadonlyMap<string, Schema>): Schema {
  const member = Event.def.options.find((one) => one.shape.type.safeParse(type).success);
  const [name = ""] = Object.entries(eventSchemas).find(([, { schema }]) => schema === member) ?? [];
  const data = named.get(name)?.properties?.["data"];
  if (data === undefined) throw new Error(`The event ${type} has no schema.`);
  return data;
}
