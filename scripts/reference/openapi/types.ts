import * as z from "zod";

/** The part of JSON Schema that the document uses. Any other keyword fails the build of the document. */
export const Schema = z.strictObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  description: z.string().optional(),
  title: z.string().optional(),
  default: z.unknown().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  pattern: z.string().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  required: z.array(z.string()).optional(),
  "x-enumDescriptions": z.record(z.string(), z.string()).optional(),
  /** What a newer version may send besides. Not in the document, but in the types of the client. */
  get "x-growing"(): z.ZodOptional<typeof Schema> {
    return Schema.optional();
  },
  get additionalProperties(): z.ZodOptional<z.ZodUnion<readonly [z.ZodBoolean, typeof Schema]>> {
    return z.union([z.boolean(), Schema]).optional();
  },
  get propertyNames(): z.ZodOptional<typeof Schema> {
    return Schema.optional();
  },
  get items(): z.ZodOptional<typeof Schema> {
    return Schema.optional();
  },
  get properties(): z.ZodOptional<z.ZodRecord<z.ZodString, typeof Schema>> {
    return z.record(z.string(), Schema).optional();
  },
  get anyOf(): z.ZodOptional<z.ZodArray<typeof Schema>> {
    return z.array(Schema).optional();
  },
  get oneOf(): z.ZodOptional<z.ZodArray<typeof Schema>> {
    return z.array(Schema).optional();
  },
  get allOf(): z.ZodOptional<z.ZodArray<typeof Schema>> {
    return z.array(Schema).optional();
  },
});
export type Schema = z.infer<typeof Schema>;

export type Reference = { readonly $ref: string };

export type Parameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
  readonly style?: "form";
  readonly explode?: boolean;
};

export type Header = { readonly description: string; readonly required: boolean; readonly schema: Schema };
export type MediaType = {
  readonly schema: Schema;
  readonly example?: unknown;
  /** The text of a response that is not JSON. */
  readonly "x-text"?: string;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
};
export type Content = Readonly<Record<string, MediaType>>;

export type Response = {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: Content;
};

export type RequestBody = {
  readonly description: string;
  readonly required: boolean;
  readonly content: Content;
};

export type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Response | Reference>>;
  readonly "x-internal"?: true;
};

export type Components = {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly headers: Readonly<Record<string, Header>>;
  readonly responses: Readonly<Record<string, Response>>;
  readonly securitySchemes: Readonly<Record<string, unknown>>;
};

export type OpenApi = {
  readonly openapi: "3.1.0";
  readonly info: Readonly<Record<string, unknown>> & { readonly title: string; readonly description: string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: Components;
};
