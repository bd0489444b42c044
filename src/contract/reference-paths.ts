/** Where the API reference is served, to anybody, as files: they stand beside the endpoint table. */
export const referencePaths = [
  "/v1/openapi.json",
  "/docs",
  "/docs/",
  "/docs/problems",
  "/docs/problems/:code",
  "/docs/style.css",
  "/docs/icon.svg",
] as const;
