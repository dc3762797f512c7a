#!/usr/bin/env python3
"""Trains the ranker of the evaluate step and writes its table.

    train_ranker.py --topics TOPICS.jsonl... --features FEATURES.tsv... --out crates/query/model/ranker.txt

FEATURES.tsv is what `reseek eval features` writes: repo, topic id, path, label (1 relevant, 0 not), then one column per
feature, candidates of a topic in the order of the mix. One LambdaMART model (LightGBM, `pip install lightgbm scikit-learn`)
is trained per held-out repository, so every printed figure is of topics whose repository the model never saw. The shipped model is
trained on all repositories. Relevance is the isotonic fit of the held-out scores, stretched so that 0.7 lies where the
set of files at or above it has the highest F1. Seeded and single-threaded where the order of sums matters: the same input
gives the same table.
"""
import argparse
import collections
import json

import lightgbm
import numpy
from sklearn.isotonic import IsotonicRegression

ROUNDS, LEAVES, RATE, SEED = 180, 12, 0.06, 1
# Candidates of a topic that take part in training, from the top.
DEPTH = 100


def read_features(paths):
    names, repos, topics, labels, rows = None, [], [], [], []
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            header = next(lines).rstrip("\n").split("\t")[4:]
            assert names in (None, header), f"{path}: other features than before"
            names = header
            count = collections.Counter()
            for line in lines:
                cells = line.rstrip("\n").split("\t")
                count[cells[1]] += 1
                if count[cells[1]] > DEPTH:
                    continue
                repos.append(cells[0])
                topics.append(cells[1])
                labels.append(int(cells[3]))
                rows.append(numpy.array(cells[4:], dtype=numpy.float32))
    return names, numpy.array(repos), numpy.array(topics), numpy.array(labels), numpy.vstack(rows)


def read_topics(paths):
    topics = []
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                topic = json.loads(line)
                topics.append((path, topic["repo"], topic["id"], len(topic["relevant"])))
    return topics


def fit(rows, labels, topics):
    groups = []
    last = None
    for topic in topics:
        if topic != last:
            groups.append(0)
            last = topic
        groups[-1] += 1
    model = lightgbm.LGBMRanker(
        objective="lambdarank", n_estimators=ROUNDS, num_leaves=LEAVES, learning_rate=RATE, min_child_samples=40,
        subsample=0.8, subsample_freq=1, colsample_bytree=0.5, reg_lambda=5, random_state=SEED, n_jobs=2, verbose=-1,
        lambdarank_truncation_level=20, deterministic=True, force_row_wise=True, label_gain=[0, 1])
    return model.fit(rows, labels, group=groups)


def figures(topics, places, labels, scores):
    """nDCG@10, R@10, R@20 per file of topics, macro over repositories; a topic without candidates scores 0."""
    by_file = collections.defaultdict(lambda: collections.defaultdict(list))
    for path, repo, topic, n_relevant in topics:
        at = places.get(topic, numpy.array([], dtype=int))
        hits = labels[at[numpy.argsort(-scores[at], kind="stable")]]
        gain = sum(1 / numpy.log2(i + 2) for i, hit in enumerate(hits[:10]) if hit)
        ideal = sum(1 / numpy.log2(i + 2) for i in range(min(10, n_relevant)))
        by_file[path][repo].append((gain / ideal, hits[:10].sum() / n_relevant, hits[:20].sum() / n_relevant))
    return {path: {repo: numpy.mean(rows, axis=0) for repo, rows in repos.items()} for path, repos in by_file.items()}


def write(path, names, model, points):
    dump = model.booster_.dump_model()
    with open(path, "w", encoding="utf-8") as out:
        print("reseek ranker 1", file=out)
        print("features", *names, file=out)
        for tree in dump["tree_info"]:
            nodes, leaves = [], []

            def place(node):
                if "leaf_value" in node:
                    leaves.append(node["leaf_value"])
                    return -len(leaves)
                at = len(nodes)
                nodes.append(None)
                assert node["decision_type"] == "<="
                left = place(node["left_child"])
                right = place(node["right_child"])
                nodes[at] = (node["split_feature"], repr(float(node["threshold"])), left, right)
                return at

            place(tree["tree_structure"])
            print("tree", len(nodes), *(cell for node in nodes for cell in node), *(repr(float(leaf)) for leaf in leaves), file=out)
        for score, relevance in points:
            print("point", repr(float(score)), repr(float(relevance)), file=out)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--topics", nargs="+", required=True)
    arguments.add_argument("--features", nargs="+", required=True)
    arguments.add_argument("--out", required=True)
    arguments = arguments.parse_args()
    names, repos, ids, labels, rows = read_features(arguments.features)
    topics = read_topics(arguments.topics)
    places = collections.defaultdict(list)
    for place, topic in enumerate(ids):
        places[topic].append(place)
    places = {topic: numpy.array(at) for topic, at in places.items()}

    held_out = numpy.zeros(len(labels))
    gain = numpy.zeros(len(names))
    for repo in sorted(set(repos)):
        train = repos != repo
        model = fit(rows[train], labels[train], ids[train])
        held_out[~train] = model.predict(rows[~train])
        gain += model.booster_.feature_importance("gain")
    mixed = -numpy.arange(len(labels), dtype=float)
    for title, scores in (("mix", mixed), ("held out", held_out)):
        for path, by_repo in figures(topics, places, labels, scores).items():
            print(title, path, "macro nDCG@10 %.4f R@10 %.4f R@20 %.4f" % tuple(numpy.mean(list(by_repo.values()), axis=0)))
            if title == "held out":
                for repo, row in sorted(by_repo.items()):
                    print("   %-14s %.4f %.4f %.4f" % (repo, *row))
    print("gain", *(f"{names[i]} {gain[i] / gain.sum():.3f}" for i in numpy.argsort(-gain)))

    probability = IsotonicRegression(out_of_bounds="clip").fit(held_out, labels)
    chance = probability.predict(held_out)
    totals = {topic: n for _, _, topic, n in topics}

    def set_f1(threshold):
        values = []
        for topic, at in places.items():
            answered = chance[at] >= threshold
            hits = labels[at][answered].sum()
            values.append(0.0 if hits == 0 else 2 * hits / (answered.sum() + totals[topic]))
        return float(numpy.mean(values))

    thresholds = numpy.arange(0.05, 0.8, 0.01)
    best = max(thresholds, key=set_f1)
    at_best = labels[chance >= best]
    print("threshold %.2f: F1 %.4f, precision %.4f, %.2f files a topic" % (best, set_f1(best), at_best.mean(), len(at_best) / len(places)))
    for k in (1, 2, 3, 5, 10):
        values = []
        for topic, at in places.items():
            hits = labels[at[numpy.argsort(-held_out[at], kind="stable")][:k]].sum()
            values.append(2 * hits / (k + totals[topic]))
        print("top %d: F1 %.4f" % (k, numpy.mean(values)))

    # A smooth monotone curve through the quantiles of the scores, not the steps of the fit.
    knots = numpy.unique(numpy.quantile(held_out, [0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.93, 0.95, 0.97, 0.98, 0.985, 0.99, 0.9925, 0.995, 0.997, 0.999, 1]))
    relevance = []
    for low, high in zip(knots, numpy.append(knots[1:], numpy.inf)):
        inside = (held_out >= low) & (held_out < high)
        p = chance[inside].mean() if inside.any() else chance.max()
        relevance.append(0.7 * p / best if p < best else 0.7 + 0.3 * (p - best) / (1 - best))
    # Strictly growing, so that files of different scores never tie.
    relevance = numpy.maximum.accumulate(relevance) + 0.001 * numpy.arange(len(relevance))
    relevance = numpy.minimum(relevance, 0.99 + 0.0001 * numpy.arange(len(relevance)))
    centres = [(a + b) / 2 for a, b in zip(knots, numpy.append(knots[1:], knots[-1]))]
    curve = numpy.interp(held_out, centres, relevance)
    bins = numpy.minimum((curve * 10).astype(int), 9)
    error = sum(abs(curve[bins == b].mean() - labels[bins == b].mean()) * (bins == b).mean() for b in range(10) if (bins == b).any())
    print("relevance: ECE %.4f (10 bins), precision at 0.7 %.4f, files at 0.7 %.2f a topic, topics with three %.3f" % (
        error, labels[curve >= 0.7].mean(), (curve >= 0.7).sum() / len(places),
        numpy.mean([(curve[at] >= 0.7).sum() >= 3 for at in places.values()])))
    model = fit(rows, labels, ids)
    write(arguments.out, names, model, list(zip(centres, relevance)))


if __name__ == "__main__":
    main()
