/** The outcome of something that can fail in an expected way. `Reason` has the fields that describe the failure. */
export type ResultOf<Value, Reason> = Success<Value> | Failure<Reason>;
export type Success<Value> = { readonly ok: true; readonly value: Value };
export type Failure<Reason> = { readonly ok: false } & Reason;

export function succeed<Value>(value: Value): Success<Value> {
  return { ok: true, value };
}
