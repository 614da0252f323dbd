/** The forms that the tools of the suite show to a person. */
const THREE = ['option1', 'option2', 'option3']

export const USER_FORM = {
  type: 'object' as const,
  properties: {
    username: { type: 'string' as const, description: "User's response" },
    email: { type: 'string' as const, description: "User's email address" },
  },
  required: ['username', 'email'],
}

/** SEP-1034: a default of every simple type. */
export const DEFAULTS_FORM = {
  type: 'object' as const,
  properties: {
    name: { type: 'string' as const, default: 'John Doe' },
    age: { type: 'integer' as const, default: 30 },
    score: { type: 'number' as const, default: 95.5 },
    status: { type: 'string' as const, enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean' as const, default: true },
  },
}

/** SEP-1330: every way to write a choice. */
export const ENUMS_FORM = {
  type: 'object' as const,
  properties: {
    untitledSingle: { type: 'string' as const, enum: THREE },
    titledSingle: { type: 'string' as const, oneOf: titled('Option') },
    legacyEnum: {
      type: 'string' as const,
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array' as const, items: { type: 'string' as const, enum: THREE } },
    titledMulti: { type: 'array' as const, items: { anyOf: titled('Choice') } },
  },
}

function titled(what: string) {
  return ['First', 'Second', 'Third'].map((place, index) => ({ const: `value${index + 1}`, title: `${place} ${what}` }))
}
