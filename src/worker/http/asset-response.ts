/** Copies an answer of the assets binding and adds headers. The original answer is immutable. */
export function assetResponse(file: Response, headers: Readonly<Record<string, string>>): Response {
  const response = new Response(file.body, file);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}
