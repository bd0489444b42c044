type GivenFields<Fields> = { [Name in keyof Fields]?: NonNullable<Fields[Name]> };

/** The fields of a request without the `null` fields, whose option was omitted. */
// Overloaded because TypeScript cannot derive the type of what a filter leaves.
export function givenFields<Fields extends object>(fields: Fields): GivenFields<Fields>;
export function givenFields(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
