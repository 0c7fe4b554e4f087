/** What the database refuses because it does not fit the rule of its collection: which members, and never their values. */

interface Judgement {
  readonly operatorName: string;
  readonly propertiesNotSatisfied?: readonly {
    readonly propertyName: string;
    readonly details: readonly Judgement[];
  }[];
  readonly additionalProperties?: readonly string[];
  readonly missingProperties?: readonly string[];
  readonly itemIndex?: number;
  readonly details?: readonly Judgement[];
  readonly specifiedAs?: { readonly bsonType?: readonly string[] };
  readonly consideredType?: string;
}

interface Refusal {
  readonly errInfo?: {
    readonly details?: { readonly title?: string; readonly schemaRulesNotSatisfied?: readonly Judgement[] };
  };
}

/** DocumentValidationFailure. */
const refusedByRule = 121;

/** Undefined where an error is none of these. Of a bulk write the first one is described. */
export function describeRefusedWrite(error: object): string | undefined {
  if (!('code' in error) || error.code !== refusedByRule) return undefined;
  const { writeErrors } = error as { readonly writeErrors?: readonly Refusal[] };
  const details = (writeErrors?.[0] ?? (error as Refusal)).errInfo?.details;
  const members = (details?.schemaRulesNotSatisfied ?? []).flatMap((judgement) => describe(judgement, ''));
  return `${details?.title ?? 'the collection'} takes no such document: ${members.join(', ') || 'its rule is another one'}`;
}

function describe(judgement: Judgement, within: string): string[] {
  const { propertiesNotSatisfied = [], additionalProperties = [], missingProperties = [], details = [] } = judgement;
  const { itemIndex, specifiedAs, consideredType } = judgement;
  const path = (name: string | number): string => (within ? `${within}.${name}` : `${name}`);
  const isType = judgement.operatorName === 'bsonType';
  return [
    ...(isType ? [`${within} is ${consideredType}, not ${specifiedAs?.bsonType?.join(' or ')}`] : []),
    ...propertiesNotSatisfied.flatMap((member) =>
      member.details.flatMap((one) => describe(one, path(member.propertyName))),
    ),
    ...additionalProperties.map((name) => `${path(name)} is unknown`),
    ...missingProperties.map((name) => `${path(name)} is missing`),
    ...details.flatMap((one) => describe(one, itemIndex === undefined ? within : path(itemIndex))),
  ];
}
