// Original file: proto/sqlenv/v1/environment_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CloseRequest as _sqlenv_v1_CloseRequest, CloseRequest__Output as _sqlenv_v1_CloseRequest__Output } from '../../sqlenv/v1/CloseRequest.ts';
import type { CloseResponse as _sqlenv_v1_CloseResponse, CloseResponse__Output as _sqlenv_v1_CloseResponse__Output } from '../../sqlenv/v1/CloseResponse.ts';
import type { GetInfoRequest as _sqlenv_v1_GetInfoRequest, GetInfoRequest__Output as _sqlenv_v1_GetInfoRequest__Output } from '../../sqlenv/v1/GetInfoRequest.ts';
import type { GetInfoResponse as _sqlenv_v1_GetInfoResponse, GetInfoResponse__Output as _sqlenv_v1_GetInfoResponse__Output } from '../../sqlenv/v1/GetInfoResponse.ts';
import type { ListTasksRequest as _sqlenv_v1_ListTasksRequest, ListTasksRequest__Output as _sqlenv_v1_ListTasksRequest__Output } from '../../sqlenv/v1/ListTasksRequest.ts';
import type { ListTasksResponse as _sqlenv_v1_ListTasksResponse, ListTasksResponse__Output as _sqlenv_v1_ListTasksResponse__Output } from '../../sqlenv/v1/ListTasksResponse.ts';
import type { ResetRequest as _sqlenv_v1_ResetRequest, ResetRequest__Output as _sqlenv_v1_ResetRequest__Output } from '../../sqlenv/v1/ResetRequest.ts';
import type { ResetResponse as _sqlenv_v1_ResetResponse, ResetResponse__Output as _sqlenv_v1_ResetResponse__Output } from '../../sqlenv/v1/ResetResponse.ts';
import type { RunSqlRequest as _sqlenv_v1_RunSqlRequest, RunSqlRequest__Output as _sqlenv_v1_RunSqlRequest__Output } from '../../sqlenv/v1/RunSqlRequest.ts';
import type { RunSqlResponse as _sqlenv_v1_RunSqlResponse, RunSqlResponse__Output as _sqlenv_v1_RunSqlResponse__Output } from '../../sqlenv/v1/RunSqlResponse.ts';
import type { ScoreRequest as _sqlenv_v1_ScoreRequest, ScoreRequest__Output as _sqlenv_v1_ScoreRequest__Output } from '../../sqlenv/v1/ScoreRequest.ts';
import type { ScoreResponse as _sqlenv_v1_ScoreResponse, ScoreResponse__Output as _sqlenv_v1_ScoreResponse__Output } from '../../sqlenv/v1/ScoreResponse.ts';
import type { StepRequest as _sqlenv_v1_StepRequest, StepRequest__Output as _sqlenv_v1_StepRequest__Output } from '../../sqlenv/v1/StepRequest.ts';
import type { StepResponse as _sqlenv_v1_StepResponse, StepResponse__Output as _sqlenv_v1_StepResponse__Output } from '../../sqlenv/v1/StepResponse.ts';
import type { StreamStepsRequest as _sqlenv_v1_StreamStepsRequest, StreamStepsRequest__Output as _sqlenv_v1_StreamStepsRequest__Output } from '../../sqlenv/v1/StreamStepsRequest.ts';
import type { StreamStepsResponse as _sqlenv_v1_StreamStepsResponse, StreamStepsResponse__Output as _sqlenv_v1_StreamStepsResponse__Output } from '../../sqlenv/v1/StreamStepsResponse.ts';

/**
 * The environment. Every call is safe to retry.
 */
export interface EnvironmentServiceClient extends grpc.Client {
  /**
   * Ends an episode early. Closing one that is closed or unknown is no error.
   */
  Close(argument: _sqlenv_v1_CloseRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_CloseResponse__Output>): grpc.ClientUnaryCall;
  Close(argument: _sqlenv_v1_CloseRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_sqlenv_v1_CloseResponse__Output>): grpc.ClientUnaryCall;
  Close(argument: _sqlenv_v1_CloseRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_CloseResponse__Output>): grpc.ClientUnaryCall;
  Close(argument: _sqlenv_v1_CloseRequest, callback: grpc.requestCallback<_sqlenv_v1_CloseResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * What the server is, holds and allows.
   */
  GetInfo(argument: _sqlenv_v1_GetInfoRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_GetInfoResponse__Output>): grpc.ClientUnaryCall;
  GetInfo(argument: _sqlenv_v1_GetInfoRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_sqlenv_v1_GetInfoResponse__Output>): grpc.ClientUnaryCall;
  GetInfo(argument: _sqlenv_v1_GetInfoRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_GetInfoResponse__Output>): grpc.ClientUnaryCall;
  GetInfo(argument: _sqlenv_v1_GetInfoRequest, callback: grpc.requestCallback<_sqlenv_v1_GetInfoResponse__Output>): grpc.ClientUnaryCall;
  /**
   * What the server is, holds and allows.
   */
  getInfo(argument: _sqlenv_v1_GetInfoRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_GetInfoResponse__Output>): grpc.ClientUnaryCall;
  getInfo(argument: _sqlenv_v1_GetInfoRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_sqlenv_v1_GetInfoResponse__Output>): grpc.ClientUnaryCall;
  getInfo(argument: _sqlenv_v1_GetInfoRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_GetInfoResponse__Output>): grpc.ClientUnaryCall;
  getInfo(argument: _sqlenv_v1_GetInfoRequest, callback: grpc.requestCallback<_sqlenv_v1_GetInfoResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * The tasks, page by page.
   */
  ListTasks(argument: _sqlenv_v1_ListTasksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  ListTasks(argument: _sqlenv_v1_ListTasksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_sqlenv_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  ListTasks(argument: _sqlenv_v1_ListTasksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  ListTasks(argument: _sqlenv_v1_ListTasksRequest, callback: grpc.requestCallback<_sqlenv_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  /**
   * The tasks, page by page.
   */
  listTasks(argument: _sqlenv_v1_ListTasksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  listTasks(argument: _sqlenv_v1_ListTasksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_sqlenv_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  listTasks(argument: _sqlenv_v1_ListTasksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  listTasks(argument: _sqlenv_v1_ListTasksRequest, callback: grpc.requestCallback<_sqlenv_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Opens an episode.
   */
  Reset(argument: _sqlenv_v1_ResetRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_ResetResponse__Output>): grpc.ClientUnaryCall;
  Reset(argument: _sqlenv_v1_ResetRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_sqlenv_v1_ResetResponse__Output>): grpc.ClientUnaryCall;
  Reset(argument: _sqlenv_v1_ResetRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_ResetResponse__Output>): grpc.ClientUnaryCall;
  Reset(argument: _sqlenv_v1_ResetRequest, callback: grpc.requestCallback<_sqlenv_v1_ResetResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Opens an episode.
   */
  reset(argument: _sqlenv_v1_ResetRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_ResetResponse__Output>): grpc.ClientUnaryCall;
  reset(argument: _sqlenv_v1_ResetRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_sqlenv_v1_ResetResponse__Output>): grpc.ClientUnaryCall;
  reset(argument: _sqlenv_v1_ResetRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_ResetResponse__Output>): grpc.ClientUnaryCall;
  reset(argument: _sqlenv_v1_ResetRequest, callback: grpc.requestCallback<_sqlenv_v1_ResetResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Runs a query without an episode, as the tool would.
   */
  RunSql(argument: _sqlenv_v1_RunSqlRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_RunSqlResponse__Output>): grpc.ClientUnaryCall;
  RunSql(argument: _sqlenv_v1_RunSqlRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_sqlenv_v1_RunSqlResponse__Output>): grpc.ClientUnaryCall;
  RunSql(argument: _sqlenv_v1_RunSqlRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_RunSqlResponse__Output>): grpc.ClientUnaryCall;
  RunSql(argument: _sqlenv_v1_RunSqlRequest, callback: grpc.requestCallback<_sqlenv_v1_RunSqlResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Runs a query without an episode, as the tool would.
   */
  runSql(argument: _sqlenv_v1_RunSqlRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_RunSqlResponse__Output>): grpc.ClientUnaryCall;
  runSql(argument: _sqlenv_v1_RunSqlRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_sqlenv_v1_RunSqlResponse__Output>): grpc.ClientUnaryCall;
  runSql(argument: _sqlenv_v1_RunSqlRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_RunSqlResponse__Output>): grpc.ClientUnaryCall;
  runSql(argument: _sqlenv_v1_RunSqlRequest, callback: grpc.requestCallback<_sqlenv_v1_RunSqlResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Scores an answer without an episode.
   */
  Score(argument: _sqlenv_v1_ScoreRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_ScoreResponse__Output>): grpc.ClientUnaryCall;
  Score(argument: _sqlenv_v1_ScoreRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_sqlenv_v1_ScoreResponse__Output>): grpc.ClientUnaryCall;
  Score(argument: _sqlenv_v1_ScoreRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_ScoreResponse__Output>): grpc.ClientUnaryCall;
  Score(argument: _sqlenv_v1_ScoreRequest, callback: grpc.requestCallback<_sqlenv_v1_ScoreResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Scores an answer without an episode.
   */
  score(argument: _sqlenv_v1_ScoreRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_ScoreResponse__Output>): grpc.ClientUnaryCall;
  score(argument: _sqlenv_v1_ScoreRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_sqlenv_v1_ScoreResponse__Output>): grpc.ClientUnaryCall;
  score(argument: _sqlenv_v1_ScoreRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_ScoreResponse__Output>): grpc.ClientUnaryCall;
  score(argument: _sqlenv_v1_ScoreRequest, callback: grpc.requestCallback<_sqlenv_v1_ScoreResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Takes one action.
   */
  Step(argument: _sqlenv_v1_StepRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_StepResponse__Output>): grpc.ClientUnaryCall;
  Step(argument: _sqlenv_v1_StepRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_sqlenv_v1_StepResponse__Output>): grpc.ClientUnaryCall;
  Step(argument: _sqlenv_v1_StepRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_StepResponse__Output>): grpc.ClientUnaryCall;
  Step(argument: _sqlenv_v1_StepRequest, callback: grpc.requestCallback<_sqlenv_v1_StepResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Takes one action.
   */
  step(argument: _sqlenv_v1_StepRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_StepResponse__Output>): grpc.ClientUnaryCall;
  step(argument: _sqlenv_v1_StepRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_sqlenv_v1_StepResponse__Output>): grpc.ClientUnaryCall;
  step(argument: _sqlenv_v1_StepRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_sqlenv_v1_StepResponse__Output>): grpc.ClientUnaryCall;
  step(argument: _sqlenv_v1_StepRequest, callback: grpc.requestCallback<_sqlenv_v1_StepResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * The calls of many episodes on one stream: Reset, Step and Close, several to a message, answered in the order in which
   * they are ready. It does what the unary calls do, for a fraction of their cost.
   */
  StreamSteps(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_sqlenv_v1_StreamStepsRequest, _sqlenv_v1_StreamStepsResponse__Output>;
  StreamSteps(options?: grpc.CallOptions): grpc.ClientDuplexStream<_sqlenv_v1_StreamStepsRequest, _sqlenv_v1_StreamStepsResponse__Output>;
  /**
   * The calls of many episodes on one stream: Reset, Step and Close, several to a message, answered in the order in which
   * they are ready. It does what the unary calls do, for a fraction of their cost.
   */
  streamSteps(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_sqlenv_v1_StreamStepsRequest, _sqlenv_v1_StreamStepsResponse__Output>;
  streamSteps(options?: grpc.CallOptions): grpc.ClientDuplexStream<_sqlenv_v1_StreamStepsRequest, _sqlenv_v1_StreamStepsResponse__Output>;
  
}

/**
 * The environment. Every call is safe to retry.
 */
export interface EnvironmentServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Ends an episode early. Closing one that is closed or unknown is no error.
   */
  Close: grpc.handleUnaryCall<_sqlenv_v1_CloseRequest__Output, _sqlenv_v1_CloseResponse>;
  
  /**
   * What the server is, holds and allows.
   */
  GetInfo: grpc.handleUnaryCall<_sqlenv_v1_GetInfoRequest__Output, _sqlenv_v1_GetInfoResponse>;
  
  /**
   * The tasks, page by page.
   */
  ListTasks: grpc.handleUnaryCall<_sqlenv_v1_ListTasksRequest__Output, _sqlenv_v1_ListTasksResponse>;
  
  /**
   * Opens an episode.
   */
  Reset: grpc.handleUnaryCall<_sqlenv_v1_ResetRequest__Output, _sqlenv_v1_ResetResponse>;
  
  /**
   * Runs a query without an episode, as the tool would.
   */
  RunSql: grpc.handleUnaryCall<_sqlenv_v1_RunSqlRequest__Output, _sqlenv_v1_RunSqlResponse>;
  
  /**
   * Scores an answer without an episode.
   */
  Score: grpc.handleUnaryCall<_sqlenv_v1_ScoreRequest__Output, _sqlenv_v1_ScoreResponse>;
  
  /**
   * Takes one action.
   */
  Step: grpc.handleUnaryCall<_sqlenv_v1_StepRequest__Output, _sqlenv_v1_StepResponse>;
  
  /**
   * The calls of many episodes on one stream: Reset, Step and Close, several to a message, answered in the order in which
   * they are ready. It does what the unary calls do, for a fraction of their cost.
   */
  StreamSteps: grpc.handleBidiStreamingCall<_sqlenv_v1_StreamStepsRequest__Output, _sqlenv_v1_StreamStepsResponse>;
  
}

export interface EnvironmentServiceDefinition extends grpc.ServiceDefinition {
  Close: MethodDefinition<_sqlenv_v1_CloseRequest, _sqlenv_v1_CloseResponse, _sqlenv_v1_CloseRequest__Output, _sqlenv_v1_CloseResponse__Output>
  GetInfo: MethodDefinition<_sqlenv_v1_GetInfoRequest, _sqlenv_v1_GetInfoResponse, _sqlenv_v1_GetInfoRequest__Output, _sqlenv_v1_GetInfoResponse__Output>
  ListTasks: MethodDefinition<_sqlenv_v1_ListTasksRequest, _sqlenv_v1_ListTasksResponse, _sqlenv_v1_ListTasksRequest__Output, _sqlenv_v1_ListTasksResponse__Output>
  Reset: MethodDefinition<_sqlenv_v1_ResetRequest, _sqlenv_v1_ResetResponse, _sqlenv_v1_ResetRequest__Output, _sqlenv_v1_ResetResponse__Output>
  RunSql: MethodDefinition<_sqlenv_v1_RunSqlRequest, _sqlenv_v1_RunSqlResponse, _sqlenv_v1_RunSqlRequest__Output, _sqlenv_v1_RunSqlResponse__Output>
  Score: MethodDefinition<_sqlenv_v1_ScoreRequest, _sqlenv_v1_ScoreResponse, _sqlenv_v1_ScoreRequest__Output, _sqlenv_v1_ScoreResponse__Output>
  Step: MethodDefinition<_sqlenv_v1_StepRequest, _sqlenv_v1_StepResponse, _sqlenv_v1_StepRequest__Output, _sqlenv_v1_StepResponse__Output>
  StreamSteps: MethodDefinition<_sqlenv_v1_StreamStepsRequest, _sqlenv_v1_StreamStepsResponse, _sqlenv_v1_StreamStepsRequest__Output, _sqlenv_v1_StreamStepsResponse__Output>
}
