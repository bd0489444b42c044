import type { Header, OpenApi, Operation, Parameter, Reference, Response } from "../openapi/types.ts";
import { Schemas } from "./schemas.ts";

export type Listed = { readonly method: string; readonly path: string; readonly operation: Operation };

/** A section of the reference, which has a page of its own. */
export type Resource = {
  readonly name: string;
  readonly description: string;
  readonly address: string;
  readonly operations: readonly Listed[];
};

/** Whether a reader can try an operation: its caller is not an agent. */
export function isTriable(operation: Operation): boolean {
  return operation["x-internal"] !== true;
}

/** Reads an OpenAPI document, and follows its references. */
export class Document {
  readonly schemas: Schemas;
  readonly #openApi: OpenApi;

  constructor(openApi: OpenApi) {
    this.#openApi = openApi;
    this.schemas = new Schemas(openApi.components.schemas);
  }

  /** The sections, each with its operations in the order of the document. */
  resources(): Resource[] {
    const all = this.operations();
    return this.#openApi.tags.map((tag) => ({
      ...tag,
      address: resourceAddress(tag.name),
      operations: all.filter(({ operation }) => operation.tags.includes(tag.name)),
    }));
  }

  operations(): Listed[] {
    return Object.entries(this.#openApi.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
    );
  }

  parameter(one: Parameter | Reference): Parameter {
    if ("name" in one) return one;
    return found(this.#openApi.components.parameters, one);
  }

  response(one: Response | Reference): Response {
    return "description" in one ? one : found(this.#openApi.components.responses, one);
  }

  header(one: Reference): Header {
    return found(this.#openApi.components.headers, one);
  }

  successOf({ responses }: Operation): { status: string; response: Response } {
    const [first] = Object.entries(responses).filter(([status]) => status.startsWith("2"));
    if (first === undefined) throw new Error("an operation has no success response");
    return { status: first[0], response: this.response(first[1]) };
  }

  /** The problem codes that an operation can return. */
  codesOf({ responses }: Operation): string[] {
    return Object.values(responses).flatMap((one) =>
      Object.keys(this.response(one).content?.["application/problem+json"]?.examples ?? {}),
    );
  }
}

function found<Component>(components: Readonly<Record<string, Component>>, { $ref }: Reference): Component {
  const component = components[$ref.slice($ref.lastIndexOf("/") + 1)];
  if (component === undefined) throw new Error(`There is no ${$ref}.`);
  return component;
}

/** The address of a section's page. */
function resourceAddress(tag: string): string {
  return `/docs/api/${tag.toLowerCase()}`;
}

/** The address of an operation on the page of its section. */
export function operationAddress({ tags: [tag = ""], operationId }: Operation): string {
  return `${resourceAddress(tag)}#${operationId}`;
}
