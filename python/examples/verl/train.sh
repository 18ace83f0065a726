#!/usr/bin/env bash
# GRPO of Qwen2.5-3B-Instruct on text-to-SQL with a tool, on one node of 8 H100s, for verl 0.7.1 and 0.9.1.
#
#   bash train.sh                      the demo's 84 training tasks: a run to see that all fits together
#   SERVER_FLAGS="--spider ~/spider" bash train.sh trainer.total_epochs=3
#
# Starts the server on this node, writes the data sets from it, runs the preflight, then trains. Further arguments go to verl.
set -euo pipefail
cd "$(dirname "$0")"

MODEL=${MODEL:-Qwen/Qwen2.5-3B-Instruct}
SERVER_FLAGS=${SERVER_FLAGS:---demo}
ADDRESS=127.0.0.1:50051 # as in agent_loop.yaml and tool.yaml
DATA=${DATA:-$PWD/data}

verl_version=$(python -c 'import verl; print(verl.__version__)')
case "$verl_version" in
0.7.* | 0.8.*) version_keys=() ;; # V0 is the only trainer there, or the default
*) version_keys=(trainer.use_v1=True) ;;
esac

answers() {
  python -c "from sqlenv import SyncClient, Timing; SyncClient('$ADDRESS', Timing(budget_s=$1)).info()" 2>/dev/null
}
if answers 1; then
  echo "a server answers at $ADDRESS already, with tasks of its own: stop it first" >&2
  exit 1
fi
# shellcheck disable=SC2086 # several flags in one variable
python -m sqlenv.server --port "${ADDRESS##*:}" -- $SERVER_FLAGS 2>server.log &
server=$!
trap 'kill $server 2>/dev/null; wait $server' EXIT
until answers 5; do
  kill -0 $server || { cat server.log; exit 1; }
  sleep 1
done

python -m sqlenv.verl.dataset "$ADDRESS" --out "$DATA"
python -m sqlenv.check "$ADDRESS" --parquet "$DATA/train.parquet" --parquet "$DATA/dev.parquet" \
  --tool-config tool.yaml --tokenizer "$MODEL" --max-prompt-length 4096

# Data: 64 prompts x 8 rollouts a step; what is longer than 4,096 tokens with its schema and the tool is left out.
data=(
  data.train_files="$DATA/train.parquet"
  data.val_files="$DATA/dev.parquet"
  data.train_batch_size=64
  data.max_prompt_length=4096
  data.max_response_length=2048
  data.filter_overlong_prompts=True
  data.truncation=error
)
# Learning: GRPO on policy, constant 1e-6, no KL anywhere (so no reference model is held).
learning=(
  algorithm.adv_estimator=grpo
  algorithm.use_kl_in_reward=False
  actor_rollout_ref.model.path="$MODEL"
  actor_rollout_ref.model.use_remove_padding=True
  actor_rollout_ref.model.enable_gradient_checkpointing=True
  actor_rollout_ref.actor.optim.lr=1e-6
  actor_rollout_ref.actor.optim.lr_warmup_steps=0
  actor_rollout_ref.actor.use_kl_loss=False
  actor_rollout_ref.actor.entropy_coeff=0
  actor_rollout_ref.actor.ppo_mini_batch_size=64
  actor_rollout_ref.actor.use_dynamic_bsz=True
  actor_rollout_ref.actor.ppo_max_token_len_per_gpu=16384
)
# Rollouts: sampled at 1.0 for training, greedy for evaluation. 3B in bf16 is 6 GB: TP 2 leaves the most room for caches.
rollout=(
  actor_rollout_ref.rollout.name=vllm
  actor_rollout_ref.rollout.mode=async
  actor_rollout_ref.rollout.n=8
  actor_rollout_ref.rollout.temperature=1.0
  actor_rollout_ref.rollout.val_kwargs.do_sample=False
  actor_rollout_ref.rollout.val_kwargs.temperature=0
  actor_rollout_ref.rollout.val_kwargs.n=1
  actor_rollout_ref.rollout.tensor_model_parallel_size=2
  actor_rollout_ref.rollout.gpu_memory_utilization=0.6
)
# The environment. All of it is read per trajectory; the tool yaml is also what the prompts' tokens are counted with.
environment=(
  actor_rollout_ref.rollout.multi_turn.enable=True
  actor_rollout_ref.rollout.multi_turn.format=hermes
  actor_rollout_ref.rollout.multi_turn.max_assistant_turns=5
  actor_rollout_ref.rollout.multi_turn.max_parallel_calls=1
  actor_rollout_ref.rollout.multi_turn.max_tool_response_length=256
  actor_rollout_ref.rollout.multi_turn.tool_response_truncate_side=middle
  actor_rollout_ref.rollout.multi_turn.tool_config_path="$PWD/tool.yaml"
  actor_rollout_ref.rollout.agent.num_workers=8
  actor_rollout_ref.rollout.agent.default_agent_loop=sqlenv
  actor_rollout_ref.rollout.agent.agent_loop_config_path="$PWD/agent_loop.yaml"
)
run=(
  trainer.nnodes=1
  trainer.n_gpus_per_node=8
  trainer.total_epochs=1
  trainer.val_before_train=True
  trainer.test_freq=25
  trainer.save_freq=25
  trainer.project_name=sqlenv
  trainer.experiment_name=qwen2.5-3b-grpo
  "trainer.logger=[console]"
)

python -m verl.trainer.main_ppo "${data[@]}" "${learning[@]}" "${rollout[@]}" "${environment[@]}" "${run[@]}" \
  "${version_keys[@]}" "$@"
