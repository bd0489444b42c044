import type { Schema } from "../openapi/types.ts";
import { type Html, html } from "./escape.ts";
import { inline } from "./markdown.ts";
import type { Schemas } from "./schemas.ts";

/** The fields of an object with their types and texts. The fields of an inner object fold out. */
export function fieldList(schemas: Schemas, schema: Schema, showRequired: boolean): Html | null {
  const variants = schemas.variantsOf(schema);
  if (variants.length > 1)
    return html`<div class="variants">
      ${variants.map(
        (variant) =>
          html`<div>
            <p class="variant">${schemas.variantName(variant)}</p>
            ${fieldList(schemas, variant, showRequired)}
          </div>`,
      )}
    </div>`;
  const { properties = {}, required = [] } = variants[0] ?? {};
  const names = Object.entries(properties);
  if (names.length === 0) return null;
  return html`<dl class="fields">
    ${names.map(([name, property]) =>
      field(schemas, name, property, showRequired && required.includes(name), showRequired),
    )}
  </dl>`;
}

export function field(
  schemas: Schemas,
  name: string,
  schema: Schema,
  isRequired: boolean,
  showRequired: boolean,
): Html {
  const inner = schemas.objectIn(schema);
  const fields = inner === null ? null : fieldList(schemas, inner, showRequired);
  const text = schema.description ?? schemas.resolve(schema).description ?? "";
  return html`<div class="field">
    <dt>
      <code>${name}</code> <span class="type">${schemas.typeOf(schema)}</span>
      ${isRequired ? html`<span class="required">required</span>` : null}
    </dt>
    <dd>
      ${inline(text)} ${limits(schemas, schema)} ${choices(schemas, schema)}
      ${
        fields === null
          ? null
          : html`<details>
              <summary>Fields of <code>${name}</code></summary>
              ${fields}
            </details>`
      }
    </dd>
  </div>`;
}

function choices(schemas: Schemas, schema: Schema): Html | null {
  const texts = schemas.choicesOf(schema);
  if (texts.length === 0) return null;
  return html`<ul class="choices">
    ${texts.map(([value, text]) => html`<li><code>${value}</code> ${text === "" ? null : inline(text)}</li>`)}
  </ul>`;
}

/** The range or the longest length of a value. */
function limits(schemas: Schemas, schema: Schema): Html | null {
  const one = schemas.valueIn(schema);
  const facts = [
    range(one.minimum, one.maximum, ""),
    one.maxLength === undefined ? null : html`up to ${count(one.maxLength)} characters`,
    schemas.itemsIn(schema) === null ? null : range(one.minItems, one.maxItems, " items"),
  ].filter((fact) => fact !== null);
  if (facts.length === 0) return null;
  return html`<span class="limits"
    >${facts.map((fact, index) => html`${index === 0 ? "" : " · "}${fact}`)}</span
  >`;
}

function range(least: number | undefined, most: number | undefined, unit: string): Html | null {
  if (most === undefined)
    return least === undefined || least === 0 ? null : html`at least ${count(least)}${unit}`;
  return least === undefined
    ? html`up to ${count(most)}${unit}`
    : html`${count(least)} to ${count(most)}${unit}`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
