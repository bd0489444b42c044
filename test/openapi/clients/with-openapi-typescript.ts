// A client of a stranger, made of types that openapi-typescript has generated.
import createClient from "openapi-fetch";

import type { components, paths } from "./schema.ts";

const client = createClient<paths>({
  baseUrl: process.env["GANTRY_URL"] ?? "",
  headers: { authorization: `Bearer ${process.env["GANTRY_TOKEN"]}` },
  // Types are all that is generated, so how lists are written the client has to be told.
  querySerializer: { array: { style: "form", explode: false } },
});

const server = await client.POST("/v1/servers", {
  body: { name: "web-1", ip: "192.0.2.10" },
  params: { header: { "Idempotency-Key": "first" } },
});
if (server.data === undefined) throw new Error(server.error.detail);

const project = await client.POST("/v1/projects", {
  body: { name: "shop", server_id: server.data.id, repository: "/srv/git/shop.git", queue: "latest" },
});
if (project.data === undefined) throw new Error(project.error.detail);

const path = { project_id: project.data.id };
const started = await client.POST("/v1/projects/{project_id}/deployments", {
  params: { path },
  body: { branch: "main" },
});
if (started.data === undefined) throw new Error(started.error.detail);
const status: "building" = started.data.status;

const projects = await client.GET("/v1/projects", { params: { query: { limit: 10 } } });
const rows: components["schemas"]["ProjectRow"][] = projects.data?.projects ?? [];

const list = await client.GET("/v1/deployments", { params: { query: { status: ["building", "live"] } } });
const refused = await client.POST("/v1/deploy", {
  body: { project_id: path.project_id.replace(/.$/, (last) => (last === "0" ? "1" : "0")) },
});
// The codes of an operation are a type: a code that it cannot return does not compile.
const isNotFound =
  refused.error !== undefined && "code" in refused.error && refused.error.code === "not_found";

const text = await client.GET("/v1/logs/{deployment_id}", {
  params: { path: { deployment_id: started.data.id } },
  headers: { accept: "text/plain" },
  parseAs: "text",
});

console.log(
  JSON.stringify({
    status,
    names: rows.map((row) => row.name),
    deployments: list.data?.deployments.map((one) => one.id === started.data.id),
    refused: refused.response.status,
    isNotFound,
    log: typeof text.data,
  }),
);
