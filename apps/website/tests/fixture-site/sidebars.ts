export default { docs: ['first', 'second'] }
