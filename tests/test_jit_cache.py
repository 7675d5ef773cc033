import multiprocessing
import os
import time
from types import SimpleNamespace

import numpy as np

from shoal import _jit_cache
from shoal._jit import on_compile
from shoal._jit_cache import compile_in_turn, kernel_folder, prune, take_turns, with_room
from tests.extras import need


def folders(root):
    return sorted(path.name for path in root.iterdir())


def make(root, name, days_ago):
    (root / name).mkdir(parents=True)
    (root / name / "kernel.nbc").write_bytes(b"code")
    then = time.time() - days_ago * 86_400
    os.utime(root / name, (then, then))


def test_folders_that_nobody_used_for_a_month_are_removed(tmp_path):
    for name, days in {"new": 0, "old": 29, "forgotten": 31}.items():
        make(tmp_path, name, days)
    prune(str(tmp_path))
    assert folders(tmp_path) == ["new", "old"]


def test_of_many_folders_the_last_used_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(_jit_cache, "MOST_FOLDERS", 2)
    for day in range(4):
        make(tmp_path, f"used-{day}-days-ago", day)
    prune(str(tmp_path))
    assert folders(tmp_path) == ["used-0-days-ago", "used-1-days-ago"]


def test_a_folder_in_use_stays_and_a_new_one_drives_old_ones_out(tmp_path):
    root = tmp_path / "shoal-kernels"
    make(root, "in-use", 40)
    make(root, "forgotten", 40)
    config = SimpleNamespace(CACHE_DIR=str(tmp_path))
    with kernel_folder(config, "in-use") as folder:
        assert config.CACHE_DIR == folder == str(root / "in-use")
    with kernel_folder(config, "new"):
        pass
    assert folders(root) == ["in-use", "new"]
    assert vars(config) == {"CACHE_DIR": str(tmp_path)}  # numba is left as it was


def test_files_of_a_kernel_are_read_and_written_in_turn(tmp_path):
    """The index is read, changed and written in one go, whatever other processes do."""
    context = multiprocessing.get_context("fork")
    index = tmp_path / "index"
    index.write_text("0")
    workers = [context.Process(target=_count_up, args=(str(tmp_path), 50)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert index.read_text() == "200"


def _count_up(folder, times):
    class Files:
        def save(self):
            path = os.path.join(folder, "index")
            with open(path) as file:
                number = int(file.read())
            time.sleep(0.0005)
            with open(path, "w") as file:
                file.write(str(number + 1))

    files = Files()
    take_turns(SimpleNamespace(_cache=SimpleNamespace(_cache_file=files)), folder)
    for _ in range(times):
        files.save()


def test_numba_still_has_the_files_that_are_locked(tmp_path, monkeypatch):
    numba = need("numba")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    dispatcher = numba.njit(cache=True)(_add_one)
    take_turns(dispatcher, str(tmp_path))
    assert dispatcher(np.int64(1)) == 2
    assert (tmp_path / "lock").exists()
    assert dispatcher.stats.cache_misses


def test_who_needs_a_kernel_that_another_process_compiles_waits_and_loads_it(tmp_path, monkeypatch):
    numba = need("numba")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    context = multiprocessing.get_context("fork")
    together, answers = context.Barrier(3), context.Queue()
    workers = [
        context.Process(target=_compile, args=(str(tmp_path), together, answers)) for _ in range(3)
    ]
    for worker in workers:
        worker.start()
    said = sorted(answers.get(timeout=120) for _ in workers)
    for worker in workers:
        worker.join(60)
    assert said == [(0, 2, ["waits"]), (0, 2, ["waits"]), (1, 2, [])]  # one compiled


def _compile(folder, together, answers):
    import numba

    dispatcher = numba.njit(cache=True)(_add_one)
    take_turns(dispatcher, folder)
    compile_in_turn(dispatcher, folder)
    together.wait()
    heard = []
    with on_compile(lambda: None, lambda: heard.append("waits")):
        result = dispatcher(np.int64(1))
    answers.put((sum(dispatcher.stats.cache_misses.values()), result, heard))


def _add_one(x):
    return x + 1


def faults_at_any_depth(most_frames=400):
    """Pages that a loop of calls took from the system, beginning at each depth of the stack."""
    resource = need("resource")

    def call():
        pass

    call.__code__ = call.__code__.replace(co_stacksize=256)  # a large frame, as compilers have

    def loop(frames):
        if frames:
            return loop(frames - 1)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(200):
            call()
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    return sum(loop(frames) for frames in range(most_frames))


def test_calls_with_room_take_no_memory_from_the_system_again_and_again():
    assert with_room(faults_at_any_depth, 400) < 200
