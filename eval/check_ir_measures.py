#!/usr/bin/env python3
"""Recompute, with ir_measures, the figures that the tests of crates/eval hold against their own.

    pip install ir-measures==0.4.3 pytrec-eval-terrier==0.5.11
    eval/check_ir_measures.py            compare with the committed figures; exit 1 if any differs
    eval/check_ir_measures.py --write    write fixture and figures anew

The fixture is drawn from a fixed seed: graded, unjudged and negatively judged documents, many equal
scores (also such that are equal in single precision only), topics missing from the run, topics of the
run that nobody judged, and topics without anything relevant. The last kind is left out of the figures,
as crates/eval leaves it out of its means.

ir_measures computes RR@k and Judged@k outside trec_eval and orders equal scores by document id
ascending there, descending everywhere else. So that all figures speak of one ranking, these two get
the run with its ties already resolved in trec_eval's order.
"""
import argparse
import pathlib
import random
import struct
import sys

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "crates/eval/tests/fixtures"
MEASURES = ["nDCG@10", "nDCG@3", "nDCG", "R@10", "R@3", "R(rel=2)@5", "P@5", "P(rel=2)@5", "RR", "RR@10", "RR@2",
            "AP", "AP@5", "AP(rel=2)", "Success@1", "Success@3", "Judged@10", "Judged", "SetP", "SetR", "SetF"]
UNTIED = {"RR@10", "RR@2", "Judged@10", "Judged"}


def single(score):
    """The score as trec_eval keeps it."""
    return struct.unpack("f", struct.pack("f", score))[0]


def generate(seed=20240229):
    rng = random.Random(seed)
    docs = [f"src/{a}/{b}.ts" for a in ("api", "core", "ui", "Ui") for b in "abcdefghij"]
    qrels, run = {}, {}
    for number in range(1, 61):
        qid = f"q{number:02d}"
        judged = rng.sample(docs, rng.randint(2, 12))
        low, high = (-1, 0) if number % 15 == 0 else (-1, 3)
        qrels[qid] = {doc: rng.randint(low, high) for doc in judged}
        if number % 15 and max(qrels[qid].values()) < 1:
            qrels[qid][judged[0]] = 1
        if number % 10 == 7:
            continue
        ranked = rng.sample(docs, rng.randint(1, 30))
        scores = {}
        for doc in ranked:
            score = rng.choice([rng.random(), rng.randint(0, 4) / 4, rng.randint(-2, 2)])
            # A difference that single precision cannot hold.
            scores[doc] = score + rng.choice([0.0, 0.0, 1e-10])
        run[qid] = scores
    run["unjudged"] = {"src/api/a.ts": 1.0}
    return qrels, run


def generate_ranked(seed=7):
    """Topics as JSON lines and a run of four columns: repositories of unlike size, minor files, repeated paths."""
    import json
    rng = random.Random(seed)
    topics, rows = [], []
    for repo, n_topics in (("alpha", 3), ("beta", 12), ("gamma", 7)):
        paths = [f"packages/{repo}/{name} {i}.ts" for name in ("index", "view") for i in range(20)]
        for number in range(n_topics):
            files = rng.sample(paths, 8)
            n_relevant = rng.randint(1, 5)
            topic = {"repo": repo, "id": f"{repo}-{number}", "query": f"task {number}",
                     "relevant": files[:n_relevant], "minor": files[n_relevant:n_relevant + rng.randint(0, 2)]}
            topics.append(json.dumps(topic))
            if number == 2:
                continue
            ranking = rng.sample(paths, rng.randint(0, 30))
            ranking += rng.sample(ranking, len(ranking) // 4)
            rows += [f"{repo}\t{topic['id']}\t{rank}\t{path}" for rank, path in enumerate(ranking, 1)]
    rng.shuffle(rows)
    return topics, rows


def write_fixture():
    qrels, run = generate()
    rng = random.Random(1)
    lines = [f"{qid} 0 {doc} {grade}\n" for qid, docs in qrels.items() for doc, grade in docs.items()]
    rng.shuffle(lines)
    (FIXTURES / "synthetic.qrels").write_text("".join(lines))
    # The rank column is drawn at random: whoever reads it gets other figures.
    lines = [f"{qid} Q0 {doc} {rng.randint(1, 99)} {score!r} synthetic\n"
             for qid, docs in run.items() for doc, score in docs.items()]
    rng.shuffle(lines)
    (FIXTURES / "synthetic.run").write_text("".join(lines))
    topics, rows = generate_ranked()
    (FIXTURES / "ranked.topics.jsonl").write_text("\n".join(topics) + "\n")
    (FIXTURES / "ranked.run.tsv").write_text("\n".join(rows) + "\n")


def figures():
    import ir_measures
    qrels = list(ir_measures.read_trec_qrels(str(FIXTURES / "synthetic.qrels")))
    run = list(ir_measures.read_trec_run(str(FIXTURES / "synthetic.run")))
    gold = {q.query_id for q in qrels if q.relevance > 0}
    qrels = [q for q in qrels if q.query_id in gold]
    # Rank in trec_eval's order, then scores without ties.
    by_topic = {}
    for row in run:
        by_topic.setdefault(row.query_id, []).append(row)
    untied = []
    for rows in by_topic.values():
        rows.sort(key=lambda row: (single(row.score), row.doc_id), reverse=True)
        untied += [ir_measures.ScoredDoc(row.query_id, row.doc_id, float(-rank)) for rank, row in enumerate(rows)]
    lines = []
    for name in MEASURES:
        measure = ir_measures.parse_measure(name)
        values = ir_measures.iter_calc([measure], qrels, untied if name in UNTIED else run)
        values = sorted((m.query_id, m.value) for m in values if m.query_id in gold)
        assert len(values) == len(gold), name
        lines += [f"{name}\t{qid}\t{value:.9f}\n" for qid, value in values]
        lines.append(f"{name}\tall\t{sum(value for _, value in values) / len(values):.9f}\n")
    return "".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    target = FIXTURES / "synthetic.expected.tsv"
    if parser.parse_args().write:
        write_fixture()
        target.write_text(figures())
        return 0
    old, new = target.read_text().splitlines(), figures().splitlines()
    differing = len(old) != len(new)
    for a, b in zip(old, new):
        (name_a, value_a), (name_b, value_b) = a.rsplit("\t", 1), b.rsplit("\t", 1)
        if name_a != name_b or abs(float(value_a) - float(value_b)) > 1e-6:
            differing = True
            print(f"committed: {a}\nrecomputed: {b}")
    print(f"{len(new)} figures recomputed, {'some differ' if differing else 'all equal'}")
    return int(differing)


if __name__ == "__main__":
    sys.exit(main())
