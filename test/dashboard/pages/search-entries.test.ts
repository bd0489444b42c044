import { expect, it } from "vitest";

import { ProjectId, ServerId } from "#contract/ids.ts";
import { entriesOf, type Entry, search } from "#dashboard/pages/search/entries.ts";

const entry = (kind: Entry["kind"], label: string, hint = ""): Entry => ({ kind, label, hint, href: label });
const entries = [
  entry("Project", "shop", "shop.example.com"),
  entry("Page", "Servers"),
  entry("Command", "Deploy shop"),
  entry("Page", "Variables of shop"),
  entry("Deployment", "v12 of shop", "Live · main · 1a2b3c4 · Round prices once"),
];
const found = (query: string, most = 10) => search(entries, query, most).map(({ label }) => label);

it("finds the entries that have all words, in any order and case", () => {
  expect(found("prices ROUND")).toEqual(["v12 of shop"]);
  expect(found("1a2b3c4")).toEqual(["v12 of shop"]);
  expect(found("page shop")).toEqual(["Variables of shop"]);
  expect(found("bakery")).toEqual([]);
});

it("puts an equal label first, then the labels that begin with the query", () => {
  expect(found("shop")[0]).toBe("shop");
  expect(found("deploy")).toEqual(["Deploy shop", "v12 of shop"]);
});

it("puts what has the words together before what has them apart", () => {
  const commits = ["Live · main · 5b3e7fa · Change C", "Superseded · main · 3c9338d · Change B"];
  const deployments = commits.map((hint, at) => entry("Deployment", `v${2 - at} of shop`, hint));
  expect(search(deployments, "change b", 10).map(({ label }) => label)).toEqual(["v1 of shop", "v2 of shop"]);
});

it("shows the most wanted entries without a query", () => {
  expect(found("", 2)).toEqual(["shop", "Servers"]);
});

it("has only the sections and the commands that the caller may use", () => {
  const [shop, blog] = ["1", "2"].map((end) => ProjectId.parse(`proj_${end.padStart(26, "0")}`));
  const project = (id: ProjectId, name: string) => ({
    ...{ id, name, framework: "static", domain: `${name}.example.com`, last_deploy: null },
    server_id: ServerId.parse(`srv_${"1".padStart(26, "0")}`),
  });
  if (shop === undefined || blog === undefined) throw new Error("No ids.");
  const labels = entriesOf({
    projects: [project(shop, "shop"), project(blog, "blog")],
    servers: [],
    deployments: [],
    isShown: (section) => section !== "Tokens",
    mayAdd: false,
    mayDeploy: (id) => id === shop,
  }).map(({ label }) => label);
  expect(labels).toEqual(expect.arrayContaining(["Events", "Deploy shop", "Settings of blog"]));
  for (const label of ["Tokens", "Add a project", "Deploy blog"]) expect(labels).not.toContain(label);
});
