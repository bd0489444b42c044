/** The newest commit of a branch, and the files that differ from the known one; null: unknown, or too many. */
export type Tip = {
  readonly sha: string;
  readonly message: string;
  readonly paths: readonly string[] | null;
};

/** `none`: nothing of the project was fetched on this server yet. `stopped`: something more urgent has to be done. */
export type TipReading =
  | { readonly kind: "read"; readonly tip: Tip }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "none" | "stopped" };
