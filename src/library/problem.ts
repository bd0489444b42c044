import type { FieldError, ProblemCode, UnknownValue } from "#library/operations.ts";

/**
 * `unreachable`: the request got no answer. `unexpected_answer`: the answer is not from Gantry. `UnknownValue`: a code that
 * a newer version has added.
 */
export type GantryProblemCode = ProblemCode | "unreachable" | "unexpected_answer" | UnknownValue;

/** A request that was refused, or that got no answer. */
export class GantryProblem extends Error {
  override readonly name: string = "GantryProblem";
  /** Stable, for programs. */
  readonly code: GantryProblemCode;
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** The address of a page that says what to do. */
  readonly type: string;
  readonly title: string;
  /** A sentence for people, which is also the `message`. */
  readonly detail: string;
  /** Names the request in the log of the installation. Empty if there was no answer. */
  readonly requestId: string;
  /** The fields that are wrong. `pointer`: a JSON pointer into the body, `?name` of the query, or a header. */
  readonly errors: readonly FieldError[];

  constructor(problem: ProblemDocument) {
    super(problem.detail);
    this.code = isCode(problem.code) ? problem.code : "unexpected_answer";
    this.status = problem.status;
    this.type = problem.type;
    this.title = problem.title;
    this.detail = problem.detail;
    this.requestId = problem.request_id;
    this.errors = problem.errors ?? [];
  }
}

/** A problem as the API sends it (RFC 9457). */
export type ProblemDocument = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly request_id: string;
  readonly errors?: readonly FieldError[] | undefined;
};

/** Each word can be the code of a newer version. */
function isCode(code: string): code is GantryProblemCode {
  return /^[a-z][a-z_]*$/.test(code);
}
