import type * as z from "zod/mini";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import type { Endpoints, OperationName } from "#contract/endpoints/endpoints.ts";
import type { Tag } from "#contract/reference/tags.ts";

type Unchanging<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Unchanging<Value[Key]> }
  : Value;
type ExampleOf<Schema extends z.ZodMiniType | null> = Schema extends z.ZodMiniType
  ? Unchanging<z.input<Schema>>
  : null;

/** What the reference says of an operation besides what its row of the endpoint table says. */
export type OperationText<Of extends Endpoint> = {
  readonly tag: Tag;
  /** Markdown: what it does, what it refuses, and what to do then. */
  readonly description: string;
  /** A request's body. */
  readonly body: ExampleOf<Of["body"]>;
  /** What a success answers with. */
  readonly answer: ExampleOf<Of["success"]["body"]>;
} & (Of["success"]["status"] extends 201
  ? {
      /** Where a success leads to, in its Location header; null where it has none. */
      readonly location: `/v1/${string}` | null;
    }
  : { readonly location?: never }) &
  (Of["alsoAs"] extends readonly []
    ? { readonly streamed?: never }
    : {
        /** The answer in the other media types that it comes in. */
        readonly streamed: Readonly<Record<Of["alsoAs"][number], StreamedText>>;
      });

/** An answer that is sent piece by piece. */
export type StreamedText = {
  /** Of a piece, which may be one of several kinds; none where it is all text. */
  readonly pieces: readonly z.ZodMiniType[];
  /** A piece; of text, all of it. */
  readonly example: unknown;
  /** What is sent. */
  readonly text: string;
};

/** A text for each operation: one that has none does not compile. */
export type OperationTexts = { readonly [Name in OperationName]: OperationText<Endpoints[Name]> };
