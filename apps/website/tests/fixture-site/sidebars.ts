export default { docs: ['first', 'second', 'toolhaven/concepts/third'] }
