"""Text analysis: sentences, chunks, words, keywords, phrases, salience."""
