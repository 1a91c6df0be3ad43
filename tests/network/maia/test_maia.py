"""Maia-2 and Maia-3: the artifact of a checkpoint computes what the checkpoint does.

The oracle is a twin in double precision, and the packages themselves where they are installed.
"""

import types

import numpy as np
import oracle_maia as oracle
import pytest
from planes import evaluate_planes

torch = pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")
chess = pytest.importorskip("chess", reason="python-chess absent: pip install evenmatch[test]")

from evenmatch.errors import NetworkError  # noqa: E402
from evenmatch.games.chess import Chess  # noqa: E402
from evenmatch.network.conditions import RatingCondition  # noqa: E402
from evenmatch.network.imported import as_artifact, card_of, import_network  # noqa: E402
from evenmatch.network.inference import NetworkEvaluator, draw_masks  # noqa: E402
from evenmatch.network.maia.checkpoint import read_maia  # noqa: E402
from evenmatch.search import CachedEvaluator, Request  # noqa: E402

GAME = Chess()
# float32 rounds by 6e-8; a layer sums up to 1024 terms, 2e-6 of its scale, 26 layers add in
# quadrature to 1e-5, and logits of random weights reach 5: 5e-5. We allow twice.
F32_TOLERANCE = 1e-4
FENS = (
    "4k3/P6P/8/8/8/8/p6p/R3K2R w KQ - 0 1",  # promotions, and both castlings
    "1n2k3/P6P/8/8/8/8/p6p/R3K2R b KQ - 0 1",
    "k7/4R3/8/3pP3/8/8/8/K3Q2R w - d6 0 2",  # a rook's e7e8, a queen's e1g1, en passant
    "r3k2r/p6p/8/8/3Pp3/8/P6P/R3K2R b KQkq d3 0 1",
)


def saved(state, path, **more):
    """Write a checkpoint of a state dict as torch does."""
    tensors = {name: torch.tensor(array) for name, array in state.items()}
    torch.save({"model_state_dict": tensors, **more} if more else tensors, path)
    return path


def evaluator(state, folder, precision="f32", **more):
    source = saved(state, folder / "net.pt", **more)
    import_network(source, folder / "net.onnx")
    return NetworkEvaluator(folder / "net.onnx", GAME, device="cpu", precision=precision)


def asked(ratings, opponents):
    ratings, opponents = np.array(ratings, np.float64), np.array(opponents, np.float64)
    scales = np.zeros(len(ratings), np.int32)
    return Request(ratings=ratings, scales=scales, opponents=opponents)


def games(seed, plies):
    """Yield (boards so far, state) of random play from the start and from special positions."""
    rng = np.random.default_rng(seed)
    for fen in (chess.STARTING_FEN, *FENS):
        boards, state = [chess.Board(fen)], GAME.from_fen(fen)
        for _ in range(plies):
            legal = GAME.legal_actions(state[None])[0]
            if not len(legal):
                break
            yield boards, state
            action = int(rng.choice(legal))
            after = boards[-1].copy()
            after.push(move_of(after, state, action))
            boards, state = [*boards, after], GAME.after(state[None], [action])[0]


def move_of(board, state, action):
    return board.parse_san(GAME.action_text(state, action))


def largest_errors(mine, forward, vocabulary, plies=40):
    """The largest errors (of a legal move's logit, of the rest) along games of all ratings."""
    rng, errors = np.random.default_rng(2), np.zeros(2)
    for boards, state in games(1, plies):
        mover, opponent = (int(x) for x in rng.integers(700, 2700, 2))
        got = mine.evaluate(state[None], asked([mover], [opponent]))
        logits, outcome = forward(boards, mover, opponent)
        for action in GAME.legal_actions(state[None])[0]:
            at = oracle.place(boards[-1], move_of(boards[-1], state, action), vocabulary)
            errors[0] = max(errors[0], abs(logits[at] - got.logits[0, action]))
        found = got.values[0] if got.wdl is None else got.wdl[0]
        errors[1] = max(errors[1], np.abs(outcome - found).max())
    return errors


# -- against the twin -------------------------------------------------------------------------


@pytest.mark.parametrize("squares", [0, 2])
def test_maia3_equals_the_twin(tmp_path, squares):
    state = oracle.maia3_state(squares=squares)
    mine = evaluator(state, tmp_path)

    def forward(boards, mover, opponent):
        return oracle.maia3(state, oracle.tokens3(known(boards)), mover, opponent)

    assert largest_errors(mine, forward, oracle.VOCABULARY3, 12).max() < F32_TOLERANCE
    card = mine.card
    assert (card.blocks, card.channels, card.shape) == (2, 16, (96, 8, 8))
    assert (card.scales, card.both_ratings) == (["lichess-rapid"], True)


def known(boards):
    """The boards that Maia-3 sees: a FEN with a square of en passant tells of one before."""
    first = boards[0]
    if not first.has_legal_en_passant():
        return boards
    before, back = first.copy(), 8 if first.turn else -8
    before.turn = not first.turn
    pawn = before.remove_piece_at(first.ep_square - back)
    before.set_piece_at(first.ep_square + back, pawn)
    return [before, *boards]


def test_maia2_equals_the_twin(tmp_path):
    state = oracle.maia2_state()
    mine = evaluator({f"module.{name}": x for name, x in state.items()}, tmp_path, epoch=3)

    def forward(boards, mover, opponent):
        return oracle.maia2(state, oracle.planes2(boards[-1]), mover, opponent)

    assert largest_errors(mine, forward, oracle.VOCABULARY2, 12).max() < F32_TOLERANCE
    assert (mine.card.blocks, mine.card.channels, mine.card.shape) == (4, 6, (18, 8, 8))


@pytest.mark.parametrize("rating", [1, 1099, 1100, 1199, 1950, 1999, 2000, 3000])
def test_classes_of_maia2_begin_and_end_where_the_package_has_them(tmp_path, rating):
    state = oracle.maia2_state(blocks=1)
    mine, board = evaluator(state, tmp_path), chess.Board()
    got = mine.evaluate(GAME.initial(), asked([rating], [1500]))
    logits, _ = oracle.maia2(state, oracle.planes2(board), rating, 1500)
    action = GAME.read_action(GAME.initial()[0], "e2e4")
    at = oracle.VOCABULARY2.index("e2e4")
    assert abs(logits[at] - got.logits[0, action]) < F32_TOLERANCE


KINDS = {"maia3": oracle.maia3_state, "maia2": oracle.maia2_state}


@pytest.mark.parametrize("kind", KINDS)
def test_an_opponent_that_is_not_named_is_as_strong_and_nobody_is_1500(tmp_path, kind):
    mine = evaluator(KINDS[kind](), tmp_path)
    states = np.repeat(GAME.initial(), 4, 0)
    with mine.lock:
        rows = mine.evaluate(states, asked([1900, 1900, 0, 1500], [0, 1900, 0, 1500])).logits.copy()
        alone = mine.evaluate(states[:1]).logits.copy()
    assert (rows[0] == rows[1]).all()
    np.testing.assert_allclose(rows[2], rows[3], atol=1e-5)
    np.testing.assert_allclose(alone[0], rows[3], atol=1e-5)
    assert np.abs(rows[0] - rows[3]).max() > 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_several_ratings_at_once_are_each_alone(tmp_path, kind):
    """More rows than one batch holds."""
    mine = evaluator(KINDS[kind](), tmp_path)
    states = np.array([state for _, state in games(5, 12)])
    conditions = [RatingCondition(float(rating), 0) for rating in (900, 1500, 2300)]
    logits, values = mine.evaluate_policies(states, conditions)
    for one, (rating, _) in zip(logits, conditions, strict=True):
        ratings = np.full(len(states), rating)
        alone = mine.evaluate(states, asked(ratings, ratings))
        np.testing.assert_allclose(one, alone.logits, atol=1e-5)
        if rating == 900:
            np.testing.assert_allclose(values, alone.values, atol=1e-5)
    unknown = mine.evaluate(states).values.copy()
    np.testing.assert_allclose(mine.evaluate_worth(states).values, unknown, atol=1e-5)


def test_positions_are_remembered_with_both_ratings(tmp_path):
    mine = evaluator(oracle.maia3_state(), tmp_path)
    cached, states = CachedEvaluator(mine, GAME, 64), np.repeat(GAME.initial(), 3, 0)
    request = asked([1500, 1500, 1700], [1500, 2000, 2000])
    first, again = (cached.evaluate(states, request).logits for _ in range(2))
    assert cached.judged == 3
    assert (first == again).all()
    assert len(np.unique(first, axis=0)) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_dropout_masks_stand_in_the_heads(tmp_path, kind):
    state = KINDS[kind]()
    mine, seeds = evaluator(state, tmp_path), np.array([3], np.uint64)
    sizes = (12, 16, 12) if kind == "maia3" else (16, 16, 10)
    keep = [np.empty((1, size), np.float32) for size in sizes]
    draw_masks(np.full(1, 0.4), seeds.copy(), *keep)
    keep, board = [mask[0] for mask in keep], chess.Board()
    if kind == "maia3":
        logits, wdl = oracle.maia3(state, oracle.tokens3([board]), 1500, 1500, keep)
        value, places = wdl[0] - wdl[2], oracle.VOCABULARY3
    else:
        logits, value = oracle.maia2(state, oracle.planes2(board), 1500, 1500, keep)
        places = oracle.VOCABULARY2
    got = mine.evaluate(GAME.initial(), Request(np.full(1, 0.4), seeds))
    action = GAME.read_action(GAME.initial()[0], "g1f3")
    assert abs(got.logits[0, action] - logits[places.index("g1f3")]) < F32_TOLERANCE
    assert abs(got.values[0] - value) < F32_TOLERANCE


def test_half_precision_takes_half_the_space(tmp_path):
    state = oracle.maia3_state(width=64, hidden=64)
    source = saved(state, tmp_path / "net.pt")
    whole, half = tmp_path / "whole.onnx", tmp_path / "half.onnx"
    import_network(source, whole)
    import_network(source, half, half=True)
    assert half.stat().st_size < 0.6 * whole.stat().st_size
    of_both = [
        NetworkEvaluator(path, GAME, device="cpu", precision="f32").evaluate(GAME.initial())
        for path in (whole, half)
    ]
    np.testing.assert_allclose(of_both[0].logits, of_both[1].logits, atol=0.02)


# -- against the packages ---------------------------------------------------------------------


def shaken(model):
    """Give a model of a package random norms too, and return it with its state dict."""
    for parameter in model.parameters():
        if parameter.dim() == 1:
            parameter.data.add_(torch.randn_like(parameter) * 0.3)
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.3)
            module.running_var.uniform_(0.5, 2)
    return model.eval()


@pytest.mark.parametrize("size", ["maia3-3m-ablation", "maia3-5m", "maia3-23m", "maia3-79m"])
def test_maia3_equals_the_package(tmp_path, size):
    """Each size, with fewer blocks than it has where it is large."""
    reason = "maia3-runtime absent: pip install maia3-runtime"
    models = pytest.importorskip("maia3.models", reason=reason)
    from maia3.dataset import get_historical_tokens, tokenize_board
    from maia3.model_registry import resolve_model_spec
    from maia3.utils import get_all_possible_moves

    config = types.SimpleNamespace(**resolve_model_spec(size).config)
    config.num_blocks = {1024: 1, 512: 2}.get(config.dim_vit, config.num_blocks)
    torch.set_num_threads(1)
    model = shaken(models.MAIA3Model(config))
    import_network(saved_model(model, tmp_path / "net.pt"), tmp_path / "net.onnx")
    mine = NetworkEvaluator(tmp_path / "net.onnx", GAME, device="cpu", precision="f32")

    def forward(boards, mover, opponent):
        history = [tokenize_board(board) for board in known(boards)[-8:]]
        tokens = get_historical_tokens(history, config, 0.0, 0.0, 0.0, 0.0)[None]
        with torch.no_grad():
            logits, value, _ = model(tokens, torch.tensor([mover]), torch.tensor([opponent]))
        return logits[0].numpy(), torch.softmax(value[0], 0).numpy()[::-1]

    assert get_all_possible_moves() == oracle.VOCABULARY3
    errors = largest_errors(mine, forward, oracle.VOCABULARY3, plies=4)
    print(f"{size}: largest errors {errors}")
    assert errors.max() < F32_TOLERANCE


def saved_model(model, path):
    torch.save(model.state_dict(), path)
    return path


def test_maia2_equals_the_package(tmp_path):
    reason = "maia2 absent: pip install --no-deps maia2 einops pandas tqdm pyzstd backports.zstd"
    main = pytest.importorskip("maia2.main", reason=reason)
    from maia2.inference import preprocessing
    from maia2.utils import create_elo_dict, get_all_possible_moves

    config = types.SimpleNamespace(
        dim_cnn=256, dim_vit=1024, num_blocks_cnn=5, num_blocks_vit=2, input_channels=18,
        vit_length=8, elo_dim=128,
    )  # fmt: skip
    classes, moves = create_elo_dict(), get_all_possible_moves()
    assert moves == oracle.VOCABULARY2
    torch.set_num_threads(1)
    model = shaken(main.MAIA2Model(len(moves), classes, config))
    import_network(saved_model(model, tmp_path / "net.pt"), tmp_path / "net.onnx")
    mine = NetworkEvaluator(tmp_path / "net.onnx", GAME, device="cpu", precision="f32")
    numbers = {text: i for i, text in enumerate(moves)}

    def forward(boards, mover, opponent):
        planes, *both, _ = preprocessing(boards[-1].fen(), mover, opponent, classes, numbers)
        with torch.no_grad():
            logits, _, value = model(planes[None], *(torch.tensor([x]) for x in both))
        return logits[0].numpy(), value[0].clamp(-1, 1).numpy()

    errors = largest_errors(mine, forward, oracle.VOCABULARY2, plies=6)
    print(f"maia2: largest errors {errors}")
    assert errors.max() < F32_TOLERANCE


# -- what is refused --------------------------------------------------------------------------


def refusal(path):
    with pytest.raises(NetworkError) as caught:
        read_maia(path)
    message = str(caught.value)
    assert "\n" not in message
    assert str(path) in message
    return message


def test_another_network_is_named(tmp_path):
    path = tmp_path / "net.pt"
    torch.save(torch.nn.Linear(2, 2).state_dict(), path)
    assert "is not of Maia-2 or Maia-3; give Maia-3 of 3M to 79M" in refusal(path)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("transformer.layers.0.self_attn.mha.in_proj_bias", np.zeros(48)),  # one too many
        ("transformer.layers.1.linear1.weight", np.zeros((3, 3))),
        ("token_projection.weight", np.zeros((16, 96 + 3 + 8))),  # with the clock
        ("fc_value.bias", np.full(3, np.nan)),
        ("last_ln.bias", None),
    ],
)
def test_another_architecture_is_refused(tmp_path, name, array):
    state = oracle.maia3_state()
    if array is None:
        del state[name]
    else:
        state[name] = array.astype(np.float32)
    assert "has other layers than theirs; give Maia-3 of 3M to 79M" in refusal(
        saved(state, tmp_path / "net.pt")
    )


def test_what_the_package_skips_is_skipped(tmp_path):
    """Names of earlier versions, and heads that its model does not have."""
    state = {name.replace("gab", "smolgen"): x for name, x in oracle.maia3_state().items()}
    ours = evaluator(oracle.maia3_state(), tmp_path).evaluate(GAME.initial()).logits.copy()
    more = {"fc_clock.weight": np.zeros((2, 2), np.float32)}
    again = evaluator(state | more, tmp_path).evaluate(GAME.initial()).logits
    assert (ours == again).all()


def test_a_file_that_is_not_there(tmp_path):
    assert "check the path" in refusal(tmp_path / "net.pt")


def test_a_checkpoint_is_imported_once_where_a_network_is_wanted(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = saved(oracle.maia3_state(), tmp_path / "maia3-3m.pt")
    artifact = as_artifact(path)
    assert artifact == as_artifact(path)
    assert artifact.suffix == ".onnx"
    card = card_of(path)
    assert "Maia-3" in card.notes
    assert card.scales == ["lichess-rapid"]
    planes = evaluate_planes(
        NetworkEvaluator(artifact, GAME, device="cpu"), np.zeros((1, 96, 8, 8), np.float32)
    )
    assert planes.logits.shape == (1, 1858)


def test_a_blitz_model_of_maia2_is_of_blitz(tmp_path):
    assert card_of(saved(oracle.maia2_state(), tmp_path / "blitz_model.pt")).scales == [
        "lichess-blitz"
    ]
