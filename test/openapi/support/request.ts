/** Who sends a request: a token of each kind that there is. `person`: the session of an account's owner. */
export type Sender =
  | "owner"
  | "person"
  | "session"
  | "agent"
  | "other-account"
  | "weak"
  | "nobody"
  | "nonsense";

/** A request to send, with placeholders for the ids of the world. */
export type Request = {
  readonly method: string;
  readonly path: string;
  readonly sender: Sender;
  readonly headers: Readonly<Record<string, string>>;
  /** The body's text; null: none. */
  readonly body: string | null;
  /** Whether the document allows it: only such a request may succeed. */
  readonly isAsDocumented: boolean;
};
