/** The public paths of the API reference. They are static files, so they are not in the endpoint table. */
export const referencePaths = [
  "/v1/openapi.json",
  "/docs",
  "/docs/",
  "/docs/problems",
  "/docs/problems/:code",
  "/docs/style.css",
  "/docs/icon.svg",
] as const;
