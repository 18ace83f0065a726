import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { Grade as _sqlenv_v1_Grade, Grade__Output as _sqlenv_v1_Grade__Output } from './sqlenv/v1/Grade.ts';
import type { QueryInfo as _sqlenv_v1_QueryInfo, QueryInfo__Output as _sqlenv_v1_QueryInfo__Output } from './sqlenv/v1/QueryInfo.ts';
import type { ScoreOptions as _sqlenv_v1_ScoreOptions, ScoreOptions__Output as _sqlenv_v1_ScoreOptions__Output } from './sqlenv/v1/ScoreOptions.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  sqlenv: {
    v1: {
      AnswerFallback: EnumTypeDefinition
      AnswerScope: EnumTypeDefinition
      Grade: MessageTypeDefinition<_sqlenv_v1_Grade, _sqlenv_v1_Grade__Output>
      QueryInfo: MessageTypeDefinition<_sqlenv_v1_QueryInfo, _sqlenv_v1_QueryInfo__Output>
      QueryStatus: EnumTypeDefinition
      RewardGuard: EnumTypeDefinition
      ScoreFlag: EnumTypeDefinition
      ScoreOptions: MessageTypeDefinition<_sqlenv_v1_ScoreOptions, _sqlenv_v1_ScoreOptions__Output>
      TimeLimit: EnumTypeDefinition
      Verdict: EnumTypeDefinition
    }
  }
}

