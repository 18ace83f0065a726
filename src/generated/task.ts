import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { InlineTask as _sqlenv_v1_InlineTask, InlineTask__Output as _sqlenv_v1_InlineTask__Output } from './sqlenv/v1/InlineTask.ts';
import type { Message as _sqlenv_v1_Message, Message__Output as _sqlenv_v1_Message__Output } from './sqlenv/v1/Message.ts';
import type { Task as _sqlenv_v1_Task, Task__Output as _sqlenv_v1_Task__Output } from './sqlenv/v1/Task.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  sqlenv: {
    v1: {
      InlineTask: MessageTypeDefinition<_sqlenv_v1_InlineTask, _sqlenv_v1_InlineTask__Output>
      Message: MessageTypeDefinition<_sqlenv_v1_Message, _sqlenv_v1_Message__Output>
      PromptStyle: EnumTypeDefinition
      Task: MessageTypeDefinition<_sqlenv_v1_Task, _sqlenv_v1_Task__Output>
    }
  }
}

