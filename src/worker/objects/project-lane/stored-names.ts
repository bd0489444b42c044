/**
 * Renames the fields of JSON that an earlier version saved. A quoted name before a colon can only be a key, because
 * quotes inside strings are escaped.
 */
export function withCurrentNames(json: string): string {
  return json
    .replaceAll('"hosts":[', '"placements":[')
    .replaceAll('"told":null', '"lastSend":null')
    .replaceAll(/"told":\{"at":(\d+),"kept":(true|false)\}/g, '"lastSend":{"sentAt":$1,"undelivered":$2}');
}
