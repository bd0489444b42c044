import { expect, it } from "vitest";

import { WebhookSettings } from "#contract/endpoints/webhooks/settings.ts";
import { changeSettings, type SettingChanges } from "#domain/outlet/change-settings.ts";

const url = "https://ci.example.com/gantry";
/** Clients read the host before the backslash, and a pattern may read the host after it. */
const hidden = String.raw`https://example.org\@ci.example.com/gantry`;
const withHeaders = { kind: "standard", url, headers: { Authorization: "Bearer 4711" } };
const status = { kind: "commit_status", forge: "github", token: "ghp_4711" };
const ntfy = { kind: "ntfy", url: "https://ntfy.example.com", topic: "gantry", token: "tk_4711" };

const change = (settings: object, changes: SettingChanges) =>
  changeSettings(WebhookSettings.parse(settings), changes);

it.each([
  ["the headers", withHeaders, { url: "https://example.org/" }, "url"],
  ["the headers, which port 8443 gets", withHeaders, { url: "https://ci.example.com:8443/" }, "url"],
  ["the headers in clear", withHeaders, { url: "http://ci.example.com/gantry" }, "url"],
  ["a forge's token", status, { api_url: "https://example.org" }, "api_url"],
  ["ntfy's token", ntfy, { url: "https://example.org", topic: "other" }, "url"],
  ["ntfy's topic", { ...ntfy, token: null }, { url: "https://example.org" }, "url"],
  ["the headers, hidden before a backslash", withHeaders, { url: hidden }, "url"],
  ["a forge's token, hidden so", { ...status, api_url: url }, { api_url: hidden }, "api_url"],
  ["ntfy's token, hidden so", { ...ntfy, url }, { url: hidden }, "url"],
  ["the headers on another path, which may be another person's", withHeaders, { url: `${url}/other` }, "url"],
  ["the headers with another query", withHeaders, { url: `${url}?key=other` }, "url"],
  ["a forge's token on another path", { ...status, api_url: url }, { api_url: `${url}/other` }, "api_url"],
])("does not let another address get %s", (_what, settings, changes, field) => {
  expect(change(settings, changes)).toMatchObject({ ok: false, field });
});

it.each([
  ["the same address", withHeaders, { url }],
  ["another path of the same host without secrets", { kind: "standard", url }, { url: `${url}/other` }],
  ["another path of the same host with new secrets", withHeaders, { url: `${url}/other`, headers: {} }],
  ["another host without secrets", { kind: "standard", url }, { url: "https://example.org/" }],
  ["another host with new secrets", withHeaders, { url: "https://example.org/", headers: {} }],
  ["a forge's address with its token", status, { api_url: "https://example.org", token: "ghp_4712" }],
  ["a chat's address", { kind: "slack", url }, { url: "https://example.org/T0/B0" }],
])("accepts %s", (_what, settings, changes) => {
  expect(change(settings, changes)).toMatchObject({ ok: true, value: changes });
});
