import type * as z from "zod/mini";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import type { Endpoints, OperationName } from "#contract/endpoints/endpoints.ts";

type Unchanging<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Unchanging<Value[Key]> }
  : Value;
/** An example of a body; nothing for an endpoint without that body. */
type ExampleOf<Name extends string, Schema extends z.ZodMiniType | null> = Schema extends z.ZodMiniType
  ? { readonly [Key in Name]: Unchanging<z.input<Schema>> }
  : { readonly [Key in Name]?: never };

/** The texts and examples of an operation. The rest of the reference follows from the endpoint table. */
export type OperationText<Of extends Endpoint> = {
  /** What the operation does, in a few words. */
  readonly summary: string;
  /** Markdown: what the operation does, which requests it refuses, and how to fix them. */
  readonly description: string;
} & ExampleOf<"body", Of["body"]> &
  ExampleOf<"answer", Of["success"]["body"]> &
  (Of["success"]["status"] extends 201
    ? {
        /** An example of the Location header; null if the response has none. */
        readonly location: `/v1/${string}` | null;
      }
    : { readonly location?: never }) &
  (Of["alsoAs"] extends readonly []
    ? { readonly streamed?: never }
    : {
        /** The response in each media type besides JSON. */
        readonly streamed: Readonly<Record<Of["alsoAs"][number], StreamedText>>;
      });

/** A response that is sent in pieces. */
export type StreamedText = {
  /** The schemas that a piece can have; empty for plain text. */
  readonly pieces: readonly z.ZodMiniType[];
  /** An example of a piece, or of the whole text. */
  readonly example: unknown;
  /** An example of the whole response. */
  readonly text: string;
};

/** The texts of every operation. An operation without texts does not compile. */
export type OperationTexts = { readonly [Name in OperationName]: OperationText<Endpoints[Name]> };
