import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { endpoints } from "#contract/endpoints/endpoints.ts";
import { guide, introduction } from "#contract/reference/guide.ts";
import { sections } from "#contract/reference/operations.ts";
import { tags } from "#contract/reference/tags.ts";

import { responseHeaders } from "./headers.ts";
import { type AnyOperationText, codesByStatus, operationOf } from "./operation.ts";
import { headerParameters } from "./parameters.ts";
import { problemResponse, problemResponseName } from "./problems.ts";
import { eventWebhooks } from "./event-webhooks.ts";
import { reachableSchemas } from "./reachable-schemas.ts";
import { namedSchemas } from "./schemas.ts";
import type { Components, OpenApi, Operation, Response } from "./types.ts";

type Texts = Readonly<Record<string, AnyOperationText>>;

const table: readonly (readonly [string, Endpoint])[] = Object.entries(endpoints);

/** Builds the OpenAPI document from the endpoint table and its texts. @param version the version of Gantry */
export function openApiDocument(version: string): OpenApi {
  const paths = pathsOf(table.map(([name, endpoint]) => [endpoint, describe(name, endpoint)]));
  const responses = problemResponses();
  const webhooks = eventWebhooks();
  const schemas = reachableSchemas({ paths, responses, webhooks }, [
    ...namedSchemas("output"),
    ...namedSchemas("input"),
  ]);
  return {
    openapi: "3.1.0",
    info: {
      title: "Gantry",
      version,
      summary: "Deploy git repositories to your own servers",
      description: [introduction, ...guide.map(({ title, text }) => `## ${title}\n\n${text}`)].join("\n\n"),
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The installation that serves this document" }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      schemas,
      parameters: headerParameters,
      headers: responseHeaders,
      responses,
      securitySchemes,
    },
  };
}

const securitySchemes: Components["securitySchemes"] = {
  token: {
    type: "http",
    scheme: "bearer",
    description:
      "An API token: `gantry_` and 36 letters and digits. Each operation names the scope that it needs.",
  },
  agent: {
    type: "http",
    scheme: "bearer",
    description: "The credential that a server's agent received at enrolment: `gantry_agent_…`.",
  },
};

function describe(name: string, endpoint: Endpoint): Operation {
  for (const [tag, texts] of Object.entries<Texts>(sections)) {
    const text = texts[name];
    if (text !== undefined) return operationOf(name, endpoint, tag, text);
  }
  throw new Error(`The operation ${name} has no text.`);
}

function pathsOf(operations: readonly (readonly [Endpoint, Operation])[]): OpenApi["paths"] {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [{ path, method }, operation] of operations) {
    const template = path.replace(/:(\w+)/g, "{$1}");
    paths[template] = { ...paths[template], [method.toLowerCase()]: operation };
  }
  return paths;
}

function problemResponses(): Record<string, Response> {
  const groups = table.flatMap(([, endpoint]) => [...codesByStatus(endpoint).values()]);
  const responses = new Map(groups.map((codes) => [problemResponseName(codes), problemResponse(codes)]));
  return Object.fromEntries([...responses].toSorted(([a], [b]) => a.localeCompare(b)));
}
