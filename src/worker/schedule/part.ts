/** The most that a step uses: statements of D1, and calls of Durable Objects and of R2. */
export type Cost = { readonly statements: number; readonly calls: number };

export type Clock = { now(): number };

export type ScheduleStep = {
  readonly env: Env;
  readonly clock: Clock;
  /** Where the round's last step ended; null: this is the first. Each part has its own format. */
  readonly from: string | null;
  /** When the round began, in Unix milliseconds. */
  readonly startedAt: number;
  /** When the last round without a failure began, in Unix milliseconds; 0: there was none. */
  readonly since: number;
};

export type Stepped = {
  /** Where the next step continues; null: the round is complete. */
  readonly next: string | null;
  /** How many objects the step has left out because they failed. Each is logged. */
  readonly failures: number;
};

/** A part of the schedule: work that is done in rounds, and a round in steps. */
export type Part = {
  /** Also the name under which the round is stored. Another name begins a new round. */
  readonly name: string;
  /** The time between the starts of two rounds. */
  readonly everyMs: number;
  readonly cost: Cost;
  /** Does a bounded amount of work. It can die anywhere, and is safe to repeat. */
  readonly step: (step: ScheduleStep) => Promise<Stepped>;
};
