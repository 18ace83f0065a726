import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { CallFailure as _sqlenv_v1_CallFailure, CallFailure__Output as _sqlenv_v1_CallFailure__Output } from './sqlenv/v1/CallFailure.ts';
import type { CloseRequest as _sqlenv_v1_CloseRequest, CloseRequest__Output as _sqlenv_v1_CloseRequest__Output } from './sqlenv/v1/CloseRequest.ts';
import type { CloseResponse as _sqlenv_v1_CloseResponse, CloseResponse__Output as _sqlenv_v1_CloseResponse__Output } from './sqlenv/v1/CloseResponse.ts';
import type { EnvironmentServiceClient as _sqlenv_v1_EnvironmentServiceClient, EnvironmentServiceDefinition as _sqlenv_v1_EnvironmentServiceDefinition } from './sqlenv/v1/EnvironmentService.ts';
import type { GetInfoRequest as _sqlenv_v1_GetInfoRequest, GetInfoRequest__Output as _sqlenv_v1_GetInfoRequest__Output } from './sqlenv/v1/GetInfoRequest.ts';
import type { GetInfoResponse as _sqlenv_v1_GetInfoResponse, GetInfoResponse__Output as _sqlenv_v1_GetInfoResponse__Output } from './sqlenv/v1/GetInfoResponse.ts';
import type { Grade as _sqlenv_v1_Grade, Grade__Output as _sqlenv_v1_Grade__Output } from './sqlenv/v1/Grade.ts';
import type { InlineTask as _sqlenv_v1_InlineTask, InlineTask__Output as _sqlenv_v1_InlineTask__Output } from './sqlenv/v1/InlineTask.ts';
import type { Limits as _sqlenv_v1_Limits, Limits__Output as _sqlenv_v1_Limits__Output } from './sqlenv/v1/Limits.ts';
import type { ListTasksRequest as _sqlenv_v1_ListTasksRequest, ListTasksRequest__Output as _sqlenv_v1_ListTasksRequest__Output } from './sqlenv/v1/ListTasksRequest.ts';
import type { ListTasksResponse as _sqlenv_v1_ListTasksResponse, ListTasksResponse__Output as _sqlenv_v1_ListTasksResponse__Output } from './sqlenv/v1/ListTasksResponse.ts';
import type { Message as _sqlenv_v1_Message, Message__Output as _sqlenv_v1_Message__Output } from './sqlenv/v1/Message.ts';
import type { ObservationOptions as _sqlenv_v1_ObservationOptions, ObservationOptions__Output as _sqlenv_v1_ObservationOptions__Output } from './sqlenv/v1/ObservationOptions.ts';
import type { QueryInfo as _sqlenv_v1_QueryInfo, QueryInfo__Output as _sqlenv_v1_QueryInfo__Output } from './sqlenv/v1/QueryInfo.ts';
import type { ResetRequest as _sqlenv_v1_ResetRequest, ResetRequest__Output as _sqlenv_v1_ResetRequest__Output } from './sqlenv/v1/ResetRequest.ts';
import type { ResetResponse as _sqlenv_v1_ResetResponse, ResetResponse__Output as _sqlenv_v1_ResetResponse__Output } from './sqlenv/v1/ResetResponse.ts';
import type { RunSqlRequest as _sqlenv_v1_RunSqlRequest, RunSqlRequest__Output as _sqlenv_v1_RunSqlRequest__Output } from './sqlenv/v1/RunSqlRequest.ts';
import type { RunSqlResponse as _sqlenv_v1_RunSqlResponse, RunSqlResponse__Output as _sqlenv_v1_RunSqlResponse__Output } from './sqlenv/v1/RunSqlResponse.ts';
import type { ScoreOptions as _sqlenv_v1_ScoreOptions, ScoreOptions__Output as _sqlenv_v1_ScoreOptions__Output } from './sqlenv/v1/ScoreOptions.ts';
import type { ScoreRequest as _sqlenv_v1_ScoreRequest, ScoreRequest__Output as _sqlenv_v1_ScoreRequest__Output } from './sqlenv/v1/ScoreRequest.ts';
import type { ScoreResponse as _sqlenv_v1_ScoreResponse, ScoreResponse__Output as _sqlenv_v1_ScoreResponse__Output } from './sqlenv/v1/ScoreResponse.ts';
import type { StepRequest as _sqlenv_v1_StepRequest, StepRequest__Output as _sqlenv_v1_StepRequest__Output } from './sqlenv/v1/StepRequest.ts';
import type { StepResponse as _sqlenv_v1_StepResponse, StepResponse__Output as _sqlenv_v1_StepResponse__Output } from './sqlenv/v1/StepResponse.ts';
import type { StreamStepsRequest as _sqlenv_v1_StreamStepsRequest, StreamStepsRequest__Output as _sqlenv_v1_StreamStepsRequest__Output } from './sqlenv/v1/StreamStepsRequest.ts';
import type { StreamStepsResponse as _sqlenv_v1_StreamStepsResponse, StreamStepsResponse__Output as _sqlenv_v1_StreamStepsResponse__Output } from './sqlenv/v1/StreamStepsResponse.ts';
import type { StreamedCall as _sqlenv_v1_StreamedCall, StreamedCall__Output as _sqlenv_v1_StreamedCall__Output } from './sqlenv/v1/StreamedCall.ts';
import type { StreamedReply as _sqlenv_v1_StreamedReply, StreamedReply__Output as _sqlenv_v1_StreamedReply__Output } from './sqlenv/v1/StreamedReply.ts';
import type { Task as _sqlenv_v1_Task, Task__Output as _sqlenv_v1_Task__Output } from './sqlenv/v1/Task.ts';
import type { ToolCall as _sqlenv_v1_ToolCall, ToolCall__Output as _sqlenv_v1_ToolCall__Output } from './sqlenv/v1/ToolCall.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  sqlenv: {
    v1: {
      AnswerFallback: EnumTypeDefinition
      AnswerScope: EnumTypeDefinition
      CallFailure: MessageTypeDefinition<_sqlenv_v1_CallFailure, _sqlenv_v1_CallFailure__Output>
      CloseRequest: MessageTypeDefinition<_sqlenv_v1_CloseRequest, _sqlenv_v1_CloseRequest__Output>
      CloseResponse: MessageTypeDefinition<_sqlenv_v1_CloseResponse, _sqlenv_v1_CloseResponse__Output>
      /**
       * The environment. Every call is safe to retry.
       */
      EnvironmentService: SubtypeConstructor<typeof grpc.Client, _sqlenv_v1_EnvironmentServiceClient> & { service: _sqlenv_v1_EnvironmentServiceDefinition }
      EpisodeMode: EnumTypeDefinition
      ErrorReason: EnumTypeDefinition
      GetInfoRequest: MessageTypeDefinition<_sqlenv_v1_GetInfoRequest, _sqlenv_v1_GetInfoRequest__Output>
      GetInfoResponse: MessageTypeDefinition<_sqlenv_v1_GetInfoResponse, _sqlenv_v1_GetInfoResponse__Output>
      Grade: MessageTypeDefinition<_sqlenv_v1_Grade, _sqlenv_v1_Grade__Output>
      InlineTask: MessageTypeDefinition<_sqlenv_v1_InlineTask, _sqlenv_v1_InlineTask__Output>
      Limits: MessageTypeDefinition<_sqlenv_v1_Limits, _sqlenv_v1_Limits__Output>
      ListTasksRequest: MessageTypeDefinition<_sqlenv_v1_ListTasksRequest, _sqlenv_v1_ListTasksRequest__Output>
      ListTasksResponse: MessageTypeDefinition<_sqlenv_v1_ListTasksResponse, _sqlenv_v1_ListTasksResponse__Output>
      Message: MessageTypeDefinition<_sqlenv_v1_Message, _sqlenv_v1_Message__Output>
      ObservationOptions: MessageTypeDefinition<_sqlenv_v1_ObservationOptions, _sqlenv_v1_ObservationOptions__Output>
      OnMalformed: EnumTypeDefinition
      PromptStyle: EnumTypeDefinition
      QueryInfo: MessageTypeDefinition<_sqlenv_v1_QueryInfo, _sqlenv_v1_QueryInfo__Output>
      QueryStatus: EnumTypeDefinition
      ResetRequest: MessageTypeDefinition<_sqlenv_v1_ResetRequest, _sqlenv_v1_ResetRequest__Output>
      ResetResponse: MessageTypeDefinition<_sqlenv_v1_ResetResponse, _sqlenv_v1_ResetResponse__Output>
      RewardGuard: EnumTypeDefinition
      RunSqlRequest: MessageTypeDefinition<_sqlenv_v1_RunSqlRequest, _sqlenv_v1_RunSqlRequest__Output>
      RunSqlResponse: MessageTypeDefinition<_sqlenv_v1_RunSqlResponse, _sqlenv_v1_RunSqlResponse__Output>
      ScoreFlag: EnumTypeDefinition
      ScoreOptions: MessageTypeDefinition<_sqlenv_v1_ScoreOptions, _sqlenv_v1_ScoreOptions__Output>
      ScoreRequest: MessageTypeDefinition<_sqlenv_v1_ScoreRequest, _sqlenv_v1_ScoreRequest__Output>
      ScoreResponse: MessageTypeDefinition<_sqlenv_v1_ScoreResponse, _sqlenv_v1_ScoreResponse__Output>
      StepRequest: MessageTypeDefinition<_sqlenv_v1_StepRequest, _sqlenv_v1_StepRequest__Output>
      StepResponse: MessageTypeDefinition<_sqlenv_v1_StepResponse, _sqlenv_v1_StepResponse__Output>
      StreamStepsRequest: MessageTypeDefinition<_sqlenv_v1_StreamStepsRequest, _sqlenv_v1_StreamStepsRequest__Output>
      StreamStepsResponse: MessageTypeDefinition<_sqlenv_v1_StreamStepsResponse, _sqlenv_v1_StreamStepsResponse__Output>
      StreamedCall: MessageTypeDefinition<_sqlenv_v1_StreamedCall, _sqlenv_v1_StreamedCall__Output>
      StreamedReply: MessageTypeDefinition<_sqlenv_v1_StreamedReply, _sqlenv_v1_StreamedReply__Output>
      Task: MessageTypeDefinition<_sqlenv_v1_Task, _sqlenv_v1_Task__Output>
      TerminationReason: EnumTypeDefinition
      TimeLimit: EnumTypeDefinition
      ToolCall: MessageTypeDefinition<_sqlenv_v1_ToolCall, _sqlenv_v1_ToolCall__Output>
      TruncateSide: EnumTypeDefinition
      TruncationReason: EnumTypeDefinition
      Verdict: EnumTypeDefinition
    }
  }
}

