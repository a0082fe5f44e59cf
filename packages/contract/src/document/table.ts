/** The keys of a table, in its order and with their own type. */
export function namesOf<const T extends Readonly<Record<string, unknown>>>(table: T): readonly (keyof T & string)[] {
  return Object.keys(table);
}

/** True when `name` is a key of `table` itself. */
export function isNameOf<const T extends Readonly<Record<string, unknown>>>(
  table: T,
  name: unknown,
): name is keyof T & string {
  return typeof name === 'string' && Object.hasOwn(table, name);
}

/** The rows of a table of labels as options of a select field. */
export function optionsOf<const T extends Readonly<Record<string, { readonly label: string }>>>(
  table: T,
): { value: keyof T & string; label: string }[] {
  return namesOf(table).map((value) => ({ value, label: table[value]!.label }));
}
