// A client of a stranger, generated whole by @hey-api/openapi-ts.
import { client } from "./sdk/client.gen.ts";
import * as gantry from "./sdk/sdk.gen.ts";

client.setConfig({ baseUrl: process.env["GANTRY_URL"] ?? "", auth: () => process.env["GANTRY_TOKEN"] });

const server = await gantry.createServer({ body: { name: "web-1", ip: "192.0.2.10" } });
if (server.data === undefined) throw new Error(JSON.stringify(server.error));

const project = await gantry.createProject({
  body: { name: "shop", server_id: server.data.id, repository: "/srv/git/shop.git", queue: "latest" },
  headers: { "Idempotency-Key": "first" },
});
if (project.data === undefined) throw new Error(JSON.stringify(project.error));

const path = { project_id: project.data.id };
const started = await gantry.startDeployment({ path, body: { branch: "main" } });
if (started.data === undefined) throw new Error(JSON.stringify(started.error));
const status: "building" = started.data.status;

const projects = await gantry.listProjects({ query: { limit: 10 } });
const list = await gantry.listDeployments({ query: { status: ["building", "live"] } });
const refused = await gantry.deploy({
  body: { project_id: path.project_id.replace(/.$/, (last) => (last === "0" ? "1" : "0")) },
});
const isNotFound =
  refused.error !== undefined && "code" in refused.error && refused.error.code === "not_found";
const text = await gantry.getDeploymentLog({
  path: { deployment_id: started.data.id },
  headers: { accept: "text/plain" },
  parseAs: "text",
});

console.log(
  JSON.stringify({
    status,
    names: projects.data?.projects.map((row) => row.name),
    deployments: list.data?.deployments.map((one) => one.id === started.data.id),
    refused: refused.response?.status,
    isNotFound,
    log: typeof text.data,
  }),
);
