/** Describes a write that the collection's validator refused: it names the members, and never their values. */

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

const documentValidationFailure = 121;

/** Undefined if the error is not a validation failure. For a bulk write, describes the first failed write. */
export function describeRefusedWrite(error: object): string | undefined {
  if (!('code' in error) || error.code !== documentValidationFailure) return undefined;
  const { writeErrors } = error as { readonly writeErrors?: readonly Refusal[] };
  const details = (writeErrors?.[0] ?? (error as Refusal)).errInfo?.details;
  const members = (details?.schemaRulesNotSatisfied ?? []).flatMap((judgement) => describe(judgement, ''));
  return `${details?.title ?? 'the collection'} refused the document: ${members.join(', ') || 'the validator has a rule that the gateway did not make'}`;
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
