import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

import type { Schema } from "../../../scripts/reference/openapi/types.ts";
import { openApi } from "./open-api.ts";

/** A validator that knows nothing of zod. Answers may hold nothing that the document does not name. */
const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true, strictRequired: false });
addFormats.default(ajv);
ajv.addVocabulary(["x-enumDescriptions"]);

const PREFIX = "#/components/schemas/";

for (const direction of ["sent", "answered"] as const)
  ajv.addSchema({
    $id: direction,
    $defs: Object.fromEntries(
      Object.entries(openApi.components.schemas).map(([name, schema]) => [
        name,
        rewritten(schema, direction),
      ]),
    ),
  });

const validators = new Map<string, ValidateFunction>();

/** The errors of a value by a schema of the document; nothing if the value is valid. */
export function errorsOf(schema: Schema, value: unknown, direction: "sent" | "answered"): string[] {
  const key = `${direction} ${JSON.stringify(schema)}`;
  const validate = validators.get(key) ?? ajv.compile(rewritten(schema, direction));
  validators.set(key, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

function rewritten(schema: Schema, direction: "sent" | "answered", isPart = false): Schema {
  const inner = (one: Schema) => rewritten(one, direction);
  const result: Schema = { ...schema };
  // A server that adds a field later must name it in the document of that version.
  if (direction === "answered" && result.properties !== undefined && !isPart)
    result.additionalProperties = false;
  if (result.$ref?.startsWith(PREFIX))
    result.$ref = `${direction}#/$defs/${result.$ref.slice(PREFIX.length)}`;
  if (typeof result.additionalProperties === "object")
    result.additionalProperties = inner(result.additionalProperties);
  if (result.items !== undefined) result.items = inner(result.items);
  if (result.anyOf !== undefined) result.anyOf = result.anyOf.map(inner);
  if (result.oneOf !== undefined) result.oneOf = result.oneOf.map(inner);
  if (result.allOf !== undefined) result.allOf = result.allOf.map((one) => rewritten(one, direction, true));
  if (result.properties !== undefined)
    result.properties = Object.fromEntries(
      Object.entries(result.properties).map(([name, one]) => [name, inner(one)]),
    );
  return result;
}
