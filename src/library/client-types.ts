import type { Deployment, LogLine, Operations } from "#library/operations.ts";
import type { GantryProblem } from "#library/problem.ts";

export type OperationName = keyof Operations;

/** What every request can have. */
export type RequestOptions = {
  /** Such as `If-Live`. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * For a request that creates something: the same key within 24 hours has no second effect and returns the same answer. If
   * omitted, each call gets a key of its own, which its retries share.
   */
  readonly idempotencyKey?: string;
  /** Ends the request and its retries. */
  readonly signal?: AbortSignal;
};

export type RequestOf<Name extends OperationName> = Omit<Operations[Name]["request"], "headers"> &
  RequestOptions;
export type AnswerOf<Name extends OperationName> = Operations[Name]["answer"];
/** The codes of the problems that an operation can return. */
export type ProblemCodeOf<Name extends OperationName> = Operations[Name]["problem"];

/** An event of a known type, or of a type that a newer version has added. */
export type AnyEvent = AnswerOf<"getEvent">;

/** The rows of a page of a list; never for an answer that is no page. */
type RowOf<Answer> = Answer extends { readonly next_cursor: string | null }
  ? { [Field in keyof Answer]: Answer[Field] extends readonly (infer Row)[] ? Row : never }[keyof Answer]
  : never;

/** The operations that return pages of a list. */
export type ListName = {
  [Name in OperationName]: [RowOf<AnswerOf<Name>>] extends [never] ? never : Name;
}[OperationName];

/** The request can be omitted if it needs nothing. */
type Arguments<Request> = Record<string, never> extends Request ? [request?: Request] : [request: Request];

/** A method for each operation of the API. It returns the answer, and throws a `GantryProblem`. */
export type OperationMethods = {
  readonly [Name in keyof Operations]: (...args: Arguments<RequestOf<Name>>) => Promise<AnswerOf<Name>>;
};

/** For each list, the rows of all its pages, which are read as they are needed. */
export type ListMethods = {
  readonly [Name in ListName]: (
    ...args: Arguments<RequestOf<Name>>
  ) => AsyncGenerator<RowOf<AnswerOf<Name>>, void, undefined>;
};

export type FollowLogOptions = {
  /** The number of the last line that you have; 0 for none. */
  readonly afterLine?: number;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
};

export type FollowEventsOptions = {
  /** Such as `deployment.*`. If omitted: all types. */
  readonly types?: readonly string[];
  /** If omitted: the events of everything that the token may see. */
  readonly projectId?: string;
  /** The `data.sequence` of the last event that you have. If omitted: only new events. */
  readonly after?: number;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
};

export type GantryClient = OperationMethods & {
  /** For each list, the rows of all its pages: `for await (const project of gantry.iterate.listProjects())`. */
  readonly iterate: ListMethods;
  /**
   * Follows a deployment's log to its end: the existing lines, then new ones, each once and in order. Lost connections and
   * temporary problems are survived. It throws a `GantryProblem` if the log cannot be followed.
   */
  readonly followLog: (
    deploymentId: string,
    options?: FollowLogOptions,
  ) => AsyncGenerator<LogLine, void, undefined>;
  /**
   * Follows what changes, each event once and in order, until `signal` is aborted or the loop is left. It throws a
   * `GantryProblem` if the events cannot be followed.
   */
  readonly followEvents: (options?: FollowEventsOptions) => AsyncGenerator<AnyEvent, void, undefined>;
  /**
   * Waits until a deployment has ended: live, superseded, failed or canceled. A failed deployment is returned, not thrown.
   * @param deployment it or its id
   */
  readonly waitFor: (
    deployment: string | { readonly id: string },
    options?: { readonly signal?: AbortSignal },
  ) => Promise<Deployment>;
};

export type ClientOptions = {
  /** Of the installation, such as `https://gantry.example.com`. */
  readonly url: string;
  /** An API token. Not needed for operations that everyone can call. */
  readonly token?: string | undefined;
  /** Sends the requests. If omitted: the `fetch` of the runtime. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** How long a try of a request may take, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
  /** How long to retry after a lost connection or a temporary problem, in milliseconds; 0: not at all. Default: 30,000. */
  readonly retryForMs?: number;
  /** Called before each pause after which a request is retried or a stream is opened again. */
  readonly onWaiting?: (problem: GantryProblem, ms: number) => void;
};
