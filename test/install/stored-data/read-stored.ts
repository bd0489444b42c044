import type { Api } from "../../support/journey-api.ts";

/** Fields that change with time, or with a start. */
const changing = new Set([
  ...["serving", "url", "processes_state", "health", "checked_at", "last_used_at"],
  // A webhook whose deliveries fail.
  ...["state", "failing_since"],
]);

/** What an installation answers about its data, by path, without the fields that change. */
export async function readStored(api: Api, projectId: string): Promise<Record<string, unknown>> {
  const deployments = await api.listDeployments(projectId);
  const paths = [
    `/v1/projects/${projectId}`,
    `/v1/projects/${projectId}/variables`,
    `/v1/projects/${projectId}/variables/revisions`,
    ...deployments.flatMap(({ id }) => [`/v1/deployments/${id}`, `/v1/logs/${id}`]),
    "/v1/webhooks",
    "/v1/hooks",
    "/v1/freezes",
  ];
  const read = async (path: string): Promise<[string, unknown]> => {
    const { text } = await api.call("GET", path);
    return [path, JSON.parse(text, (key, value: unknown) => (changing.has(key) ? undefined : value))];
  };
  return Object.fromEntries(await Promise.all(paths.map(read)));
}
