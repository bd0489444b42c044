/** A file as the assets' server answers it, with headers besides: its own answer cannot be given any. */
export function assetResponse(file: Response, headers: Readonly<Record<string, string>>): Response {
  const response = new Response(file.body, file);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}
