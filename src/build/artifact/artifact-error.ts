/**
 * Why an archive cannot be made or used. `invalid`: the archive is damaged, hostile or not meant for this place.
 * `refused`: the folder has something that an archive cannot contain, or too much. `changed`: a file changed while it
 * was read.
 */
export type ArtifactProblem = {
  readonly kind: "invalid" | "refused" | "changed";
  /** A sentence without a capital letter and a full stop. */
  readonly message: string;
};

/** An `ArtifactProblem` on its way through streams, which pass on only errors. `packTree` and others turn it into a value. */
export class ArtifactError extends Error {
  readonly problem: ArtifactProblem;

  constructor(kind: ArtifactProblem["kind"], message: string) {
    super(message);
    this.problem = { kind, message };
  }
}

/** @throws the error itself, if it is something else */
export function problemOf(error: unknown): ArtifactProblem {
  if (error instanceof ArtifactError) return error.problem;
  throw error;
}
