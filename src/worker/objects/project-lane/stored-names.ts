/**
 * The names of a lane's fields in storage are those of version 0.1, so that an installation can go back to it. A quoted
 * name before a colon can only be a key, because quotes inside strings are escaped.
 */
export function withStoredNames(json: string): string {
  return json
    .replaceAll('"placements":[', '"hosts":[')
    .replaceAll('"lastSend":null', '"told":null')
    .replaceAll(/"lastSend":\{"sentAt":(\d+),"undelivered":(true|false)\}/g, '"told":{"at":$1,"kept":$2}');
}

/** Reverses `withStoredNames`. */
export function withCurrentNames(json: string): string {
  return json
    .replaceAll('"hosts":[', '"placements":[')
    .replaceAll('"told":null', '"lastSend":null')
    .replaceAll(/"told":\{"at":(\d+),"kept":(true|false)\}/g, '"lastSend":{"sentAt":$1,"undelivered":$2}');
}
