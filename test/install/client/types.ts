// What the compiler must accept and refuse of the client's types.
import { type AnswerOf, createClient, GantryProblem, type ProblemCodeOf, type Project } from "gantry-client";

const gantry = createClient({ url: "https://gantry.example.com", token: "…" });

export const project: Project = await gantry.getProject({ params: { project_id: "proj_…" } });
export const codes: ProblemCodeOf<"createWebhook">[] = ["too_many", "invalid_request"];
export const names: string[] = [];
for await (const row of gantry.iterate.listProjects()) names.push(row.name);
for await (const row of gantry.iterate.listDeployments({ query: { status: ["live", "failed"] } }))
  names.push(row.id);
for await (const event of gantry.followEvents({ types: ["deployment.*"] }))
  if (event.type === "deployment.failed") names.push(event.data.deployment.id);

// @ts-expect-error: the id is missing
await gantry.getProject();
// @ts-expect-error: it is not a list
gantry.iterate.getProject({ params: { project_id: "proj_…" } });
// @ts-expect-error: there is no such status
await gantry.listDeployments({ query: { status: ["asleep"] } });
// @ts-expect-error: there is no such field
await gantry.updateProject({ params: { project_id: project.id }, body: { brnach: "main" } });
// @ts-expect-error: the operation cannot return it
export const wrong: ProblemCodeOf<"createWebhook"> = "already_live";

export function refusal(error: unknown): string {
  if (!(error instanceof GantryProblem)) return "";
  // @ts-expect-error: there is no such code
  if (error.code === "name_takn") return "";
  return error.code === "name_taken" ? (error.errors[0]?.pointer ?? "") : error.detail;
}

/** A newer version may add values, so the known ones are never all. */
export function status({ health }: AnswerOf<"getProject">): string {
  switch (health.state) {
    case "ok":
    case "degraded":
    case "unknown":
      return health.state;
    default:
      return `new: ${health.state satisfies string}`;
  }
}
